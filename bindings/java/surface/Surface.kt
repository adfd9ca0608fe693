package io.munja

import java.io.File
import java.lang.reflect.Executable
import java.lang.reflect.Modifier

/** The public surface of a module, for its test that compares it with the committed file. */
internal object Surface {
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

    /**
     * All that the module of [anchor] shows. [internal]: classes that Kotlin hides from other modules; for the JVM they are
     * public.
     */
    private fun of(anchor: Class<*>, internal: Set<String>): String {
        val classes = File(anchor.protectionDomain.codeSource.location.toURI())
        val names = classes.walk().filter { it.extension == "class" }
            .map { it.relativeTo(classes).path.removeSuffix(".class").replace('/', '.') }
        return names.sorted().map { Class.forName(it, false, anchor.classLoader) }
            .filter { type -> isShown(type.modifiers) && !type.isSynthetic && !type.isAnonymousClass }
            .filter { type -> type.name.substringAfterLast('.').substringBefore('$') !in internal }
            .filter { type -> '$' !in type.name || type.isMemberClass }
            .joinToString("\n") { describe(it) }
    }

    /** The text of the committed file and that of the classes. With `-Dmunja.api.write=true` the file is written first. */
    fun compare(anchor: Class<*>, module: String, internal: Set<String> = emptySet()): Pair<String, String> {
        val surface = of(anchor, internal)
        val file = File(System.getProperty("munja.root"), "bindings/java/$module/api/$module.api")
        if (System.getProperty("munja.api.write") == "true") file.writeText(surface)
        return file.readText() to surface
    }
}
