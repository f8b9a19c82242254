// swift-tools-version: 6.1
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "Tools",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "freehold", targets: ["FreeholdCommand"])],
    dependencies: [
        .package(name: "Freehold", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    ],
    // The tests are targets of the package above, and built with its tests.
    targets: [
        .executableTarget(
            name: "FreeholdCommand",
            dependencies: [
                "ModelConverter",
                .product(name: "Freehold", package: "Freehold"),
                .product(name: "FreeholdImport", package: "Freehold"),
                .product(name: "FreeholdSync", package: "Freehold"),
                .product(name: "FreeholdEngine", package: "Freehold"),
                .product(name: "FreeholdBSON", package: "Freehold"),
                .product(name: "FreeholdSyncRules", package: "Freehold"),
                .product(name: "ModelWriter", package: "Freehold"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings
        ),
        // Knows Swift's source, not the library.
        .target(name: "ModelConverter", swiftSettings: settings),
    ]
)
