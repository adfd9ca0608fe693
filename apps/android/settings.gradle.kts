// For a machine with the Android SDK. Without it: tools/test-android and tools/build-apk.
pluginManagement {
    repositories {
        google()
        mavenCentral()
        gradlePluginPortal()
    }
}

dependencyResolutionManagement {
    repositories {
        google()
        mavenCentral()
        mavenLocal { content { includeGroup("io.munja") } } // "mvn install" in bindings/java.
    }
}

rootProject.name = "munja-android"
include(":logic", ":app")
