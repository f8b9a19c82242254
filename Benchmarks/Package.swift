// swift-tools-version: 6.1
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "freehold-bench", targets: ["freehold-bench"]),
        .executable(name: "freehold-sync-bench", targets: ["freehold-sync-bench"]),
    ],
    dependencies: [.package(name: "Freehold", path: "..")],
    targets: [
        .systemLibrary(
            name: "CRivalLMDB",
            pkgConfig: "lmdb",
            providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]
        ),
        .systemLibrary(
            name: "CRivalSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
        ),
        .target(name: "RivalSort"),
        .target(name: "BenchMachine", swiftSettings: settings),
        .target(
            name: "BenchModels",
            dependencies: [.product(name: "Freehold", package: "Freehold")],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "freehold-bench",
            dependencies: [
                "CRivalLMDB", "CRivalSQLite", "RivalSort", "BenchModels", "BenchMachine",
                .product(name: "FreeholdEngine", package: "Freehold"),
                .product(name: "Freehold", package: "Freehold"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "freehold-sync-bench",
            dependencies: [
                "BenchMachine",
                .product(name: "FreeholdSyncCore", package: "Freehold"),
                .product(name: "FreeholdCompression", package: "Freehold"),
                .product(name: "FreeholdServerStore", package: "Freehold"),
                .product(name: "FreeholdBSON", package: "Freehold"),
                .product(name: "FreeholdRealmWire", package: "Freehold"),
                .product(name: "FreeholdEngine", package: "Freehold"),
            ],
            swiftSettings: settings
        ),
    ]
)
