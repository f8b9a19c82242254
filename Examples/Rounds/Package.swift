// swift-tools-version: 6.1
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

// A command-line app that works offline and syncs with a `freehold-server`.
let package = Package(
    name: "Rounds",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "rounds", targets: ["RoundsCommand"])],
    dependencies: [
        .package(name: "Freehold", path: "../..", traits: ["Encryption", "Sync"]),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    ],
    targets: [
        .target(
            name: "RoundsKit",
            dependencies: [
                .product(name: "Freehold", package: "Freehold"),
                .product(name: "FreeholdSync", package: "Freehold"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "RoundsCommand",
            dependencies: ["RoundsKit", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            swiftSettings: settings
        ),
        .testTarget(name: "RoundsTests", dependencies: ["RoundsKit", "RoundsCommand"], swiftSettings: settings),
    ]
)
