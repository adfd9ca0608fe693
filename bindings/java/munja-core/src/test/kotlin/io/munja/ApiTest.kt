package io.munja

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test
import java.io.File
import java.lang.reflect.Executable
import java.lang.reflect.Modifier

/** The public surface is that of api/munja-core.api. A change of it is made there, too: `-Dmunja.api.write=true`. */
class ApiTest {
    /** Classes that Kotlin hides from other modules; for the JVM they are public. */
    private val internal = setOf("Native", "NativeHandle", "NativeLibrary", "JarLibrary", "PageDecoder", "SessionDecoder")

    private fun isShown(modifiers: Int) = Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers)

    private fun modifiers(bits: Int) =
        Modifier.toString(bits and (Modifier.VOLATILE or Modifier.TRANSIENT).inv()).let { if (it.isEmpty()) "" else "$it " }

    private fun parameters(of: Executable) = of.parameterTypes.joinToString(", ", "(", ")") { it.typeName }

    private fun describe(type: Class<*>): String {
        val members = ArrayList<String>()
        // Names with $ are of Kotlin's own making: internal members, accessors, defaults.
        for (f in type.declaredFields) if (isShown(f.modifiers) && '$' !in f.name) members += "${modifiers(f.modifiers)}${f.type.typeName} ${f.name}"
        for (c in type.declaredConstructors) if (isShown(c.modifiers) && !c.isSynthetic) members += "${modifiers(c.modifiers)}<init>${parameters(c)}"
        for (m in type.declaredMethods) {
            if (isShown(m.modifiers) && '$' !in m.name && !m.isBridge) members += "${modifiers(m.modifiers)}${m.returnType.typeName} ${m.name}${parameters(m)}"
        }
        val parents = (listOfNotNull(type.superclass) + type.interfaces).map { it.typeName }.filter { it != "java.lang.Object" }
        return "${modifiers(type.modifiers)}${type.name}${parents.joinToString(", ", if (parents.isEmpty()) "" else " : ")}\n" +
            members.sorted().joinToString("") { "    $it\n" }
    }

    @Test
    fun publicSurface_IsThatOfTheCommittedFile() {
        val classes = File(OcrEngine::class.java.protectionDomain.codeSource.location.toURI())
        val names = classes.walk().filter { it.extension == "class" }.map { it.relativeTo(classes).path.removeSuffix(".class").replace('/', '.') }
        val surface = names.sorted().map { Class.forName(it, false, javaClass.classLoader) }
            .filter { type -> isShown(type.modifiers) && !type.isSynthetic && !type.isAnonymousClass && type.name.removePrefix("io.munja.").substringBefore('$') !in internal }
            .filter { type -> '$' !in type.name || type.isMemberClass }
            .joinToString("\n") { describe(it) }
        val file = File(Support.root, "bindings/java/munja-core/api/munja-core.api")
        if (System.getProperty("munja.api.write") == "true") file.writeText(surface)
        assertEquals(file.readText(), surface, "write it anew with -Dmunja.api.write=true if the change is meant")
    }
}
