// swift-tools-version: 6.1
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "Freehold",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "Freehold", targets: ["Freehold"]),
        .library(name: "RealmSwift", targets: ["RealmSwift"]),
        .library(name: "Realm", targets: ["Realm"]),
        .library(name: "FreeholdEngine", targets: ["FreeholdEngine"]),
    ],
    traits: [
        .trait(
            name: "Encryption",
            description: "Encrypted files (Configuration.encryptionKey). Without it swift-crypto isn't built."
        ),
        .default(enabledTraits: ["Encryption"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto", from: "4.0.0")
    ],
    targets: [
        .systemLibrary(
            name: "CLMDB",
            pkgConfig: "lmdb",
            providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]
        ),
        .target(name: "CFreeholdShims"),
        .target(
            name: "FreeholdEngine",
            dependencies: [
                "CLMDB", "CFreeholdShims",
                .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Encryption"])),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "Freehold",
            dependencies: ["FreeholdEngine", "CFreeholdShims"],
            swiftSettings: settings
        ),
        .target(name: "RealmSwift", dependencies: ["Freehold"], swiftSettings: settings),
        .target(name: "Realm", dependencies: ["RealmSwift"], swiftSettings: settings),
        // What the crash tests write: shared by the child that is killed and the test that checks.
        .target(
            name: "TestScript",
            dependencies: ["FreeholdEngine"],
            path: "Tests/TestScript",
            swiftSettings: settings
        ),
        // What writers and observers of several processes do, and how it is checked.
        .target(
            name: "TestHerd",
            dependencies: ["Freehold"],
            path: "Tests/TestHerd",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "freehold-testchild",
            dependencies: ["FreeholdEngine", "Freehold", "TestScript", "TestHerd"],
            path: "Tests/TestChild",
            swiftSettings: settings
        ),
        .testTarget(
            name: "FreeholdEngineTests",
            dependencies: ["FreeholdEngine", "TestScript", "freehold-testchild"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "FreeholdTests",
            dependencies: ["Freehold", "TestScript", "TestHerd", "freehold-testchild"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "RealmSwiftTests",
            dependencies: ["RealmSwift", "Realm"],
            swiftSettings: settings
        ),
    ]
)
