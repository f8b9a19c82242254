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
        .library(name: "FreeholdEngine", targets: ["FreeholdEngine"]),
    ],
    traits: [
        .trait(
            name: "Encryption",
            description: "Encrypted files (Configuration.encryptionKey). Without it swift-crypto isn't built."
        ),
        .trait(name: "Logging", description: "Logs by swift-log: Realm.log(to:). Without it swift-log isn't fetched."),
        .trait(
            name: "Metrics",
            description: "Metrics by swift-metrics: Realm.recordMetrics(). Without it swift-metrics isn't fetched."
        ),
        .default(enabledTraits: ["Encryption"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto", from: "4.0.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
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
            dependencies: [
                "FreeholdEngine", "CFreeholdShims",
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Logging"])),
                .product(name: "Metrics", package: "swift-metrics", condition: .when(traits: ["Metrics"])),
            ],
            swiftSettings: settings
        ),
        .target(name: "RealmSwift", dependencies: ["Freehold"], swiftSettings: settings),
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
            dependencies: [
                "Freehold", "TestScript", "TestHerd", "freehold-testchild",
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Logging"])),
                .product(name: "Metrics", package: "swift-metrics", condition: .when(traits: ["Metrics"])),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "RealmSwiftTests",
            dependencies: ["RealmSwift"],
            swiftSettings: settings
        ),
    ]
)
