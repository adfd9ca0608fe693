import org.jetbrains.kotlin.gradle.dsl.JvmTarget

plugins {
    id("com.android.application")
    id("org.jetbrains.kotlin.android")
}

android {
    namespace = "io.munja.app"
    compileSdk = 35
    defaultConfig {
        minSdk = 29
        targetSdk = 35
        versionCode = 1
        versionName = "0.1.0"
    }
    // Directories named arm64-v8a, armeabi-v7a and x86_64 with libmunja-jni.so: -Pmunja.libraries=DIRECTORY.
    findProperty("munja.libraries")?.let { sourceSets["main"].jniLibs.srcDir(rootDir.resolve(it.toString())) }
    // tools/android-resources puts the models there.
    sourceSets["main"].assets.srcDir(rootDir.resolve("../../build/android/assets"))
    buildTypes {
        release {
            isMinifyEnabled = true
            isShrinkResources = true
            proguardFiles("src/main/munja-app.pro")
        }
    }
    compileOptions {
        sourceCompatibility = JavaVersion.VERSION_11
        targetCompatibility = JavaVersion.VERSION_11
    }
    // The jar of munja-core carries libraries for the JVM of a desktop.
    packaging.resources.excludes += "io/munja/native/**"
}

kotlin.compilerOptions.jvmTarget.set(JvmTarget.JVM_11)

dependencies {
    implementation(project(":logic"))
    implementation("io.munja:munja-android:0.1.0")
    implementation("org.jetbrains.kotlinx:kotlinx-coroutines-android:1.11.0")
}
