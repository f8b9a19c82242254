// swift-tools-version: 6.1
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

// A SwiftUI app. On systems without SwiftUI, its model and its view model are built and tested, with publishers by OpenCombine.
let package = Package(
    name: "Chores",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [.executable(name: "Chores", targets: ["Chores"])],
    dependencies: [.package(name: "Freehold", path: "../..", traits: ["Combine"])],
    targets: [
        .target(
            name: "ChoresModel",
            dependencies: [.product(name: "RealmSwift", package: "Freehold")],
            swiftSettings: settings
        ),
        .target(
            name: "ChoresViews",
            dependencies: ["ChoresModel", .product(name: "RealmSwift", package: "Freehold")],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "Chores",
            dependencies: ["ChoresModel", "ChoresViews", .product(name: "RealmSwift", package: "Freehold")],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ChoresTests",
            dependencies: ["ChoresModel", .product(name: "RealmSwift", package: "Freehold")],
            swiftSettings: settings
        ),
    ]
)
