// swift-tools-version: 6.1
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "World",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "World", targets: ["World"])],
    // Its files aren't encrypted, so that swift-crypto needn't be built.
    dependencies: [.package(name: "Freehold", path: "../..", traits: [])],
    targets: [
        .target(
            name: "WorldModel",
            dependencies: [.product(name: "Freehold", package: "Freehold")],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "World",
            dependencies: ["WorldModel", .product(name: "Freehold", package: "Freehold")],
            swiftSettings: settings
        ),
        .testTarget(
            name: "WorldModelTests",
            dependencies: ["WorldModel", .product(name: "Freehold", package: "Freehold")],
            swiftSettings: settings
        ),
    ]
)
