// swift-tools-version: 6.1
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "FreeholdServer",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "FreeholdServer", targets: ["FreeholdServer"]),
        .library(name: "FreeholdHTTP", targets: ["FreeholdHTTP"]),
        .executable(name: "freehold-server", targets: ["FreeholdServerCommand"]),
        .executable(name: "freehold-studio", targets: ["FreeholdStudioCommand"]),
    ],
    traits: [
        .trait(
            name: "PostgreSQL",
            description:
                "Documents in PostgreSQL (serve --store postgresql://…), by libpq. Without it libpq isn't needed."
        )
    ],
    dependencies: [
        .package(name: "Freehold", path: "..", traits: ["Encryption", "Sync"]),
        .package(url: "https://github.com/apple/swift-nio", from: "2.81.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.29.0"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.0.0"),
        // JWTKit needs it, too. Here the tests make certificates with it.
        .package(url: "https://github.com/apple/swift-certificates", from: "1.15.0"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.3.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.1.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.2.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.8.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.0.0"),
    ],
    targets: [
        // HTTP servers: listeners, connections with limits, routes, middleware. It doesn't depend on sync.
        .target(
            name: "FreeholdHTTP",
            dependencies: [
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            swiftSettings: settings
        ),
        // The node: a server's machine on a network. Stores and tokens are handed in.
        .target(
            name: "FreeholdServer",
            dependencies: [
                "FreeholdHTTP",
                .product(name: "FreeholdSyncCore", package: "Freehold"),
                .product(name: "FreeholdCompression", package: "Freehold"),
                .product(name: "FreeholdRealmFront", package: "Freehold"),
                .product(name: "FreeholdRealmWire", package: "Freehold"),
                .product(name: "FreeholdServerStore", package: "Freehold"),
                .product(name: "FreeholdSyncRules", package: "Freehold"),
                .product(name: "FreeholdSyncDocuments", package: "Freehold"),
                .product(name: "FreeholdEngine", package: "Freehold"),
                .product(name: "Freehold", package: "Freehold"),
                .product(name: "FreeholdBSON", package: "Freehold"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings
        ),
        .systemLibrary(
            name: "CLibPQ",
            pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"])]
        ),
        // A server's store in PostgreSQL. Without the trait it is empty.
        .target(
            name: "FreeholdPostgresStore",
            dependencies: [
                .target(name: "CLibPQ", condition: .when(traits: ["PostgreSQL"])),
                .product(name: "FreeholdBSON", package: "Freehold"),
                .product(name: "FreeholdEngine", package: "Freehold"),
                .product(name: "FreeholdServerStore", package: "Freehold"),
                .product(name: "FreeholdSyncCore", package: "Freehold"),
            ],
            swiftSettings: settings
        ),
        // The accounts of servers in PostgreSQL. Without the trait it is empty.
        .target(
            name: "FreeholdPostgresAccounts",
            dependencies: [
                "FreeholdServer", "FreeholdPostgresStore",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "FreeholdServerCommand",
            dependencies: [
                "FreeholdServer", "FreeholdHTTP", "FreeholdPostgresStore", "FreeholdPostgresAccounts",
                "FreeholdServerStudio", "FreeholdStudioServer",
                .product(name: "FreeholdBSON", package: "Freehold"),
                .product(name: "FreeholdCompression", package: "Freehold"),
                .product(name: "FreeholdEngine", package: "Freehold"),
                .product(name: "FreeholdServerStore", package: "Freehold"),
                .product(name: "FreeholdSyncCore", package: "Freehold"),
                .product(name: "FreeholdSyncRules", package: "Freehold"),
                .product(name: "FreeholdSyncDocuments", package: "Freehold"),
                .product(name: "ModelWriter", package: "Freehold"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings
        ),
        // The files of Studio's page, by `#embed`.
        .target(name: "StudioPage", exclude: ["Page"]),
        // The server of Studio's page: the key, the rules for requests, the WebSocket. It doesn't depend on sync.
        .target(
            name: "FreeholdStudioServer",
            dependencies: [
                "FreeholdHTTP", "StudioPage",
                .product(name: "FreeholdStudio", package: "Freehold"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
        // Studio for a sync server: it passes the page's requests on to the administrator's port.
        .target(
            name: "FreeholdServerStudio",
            dependencies: [
                "FreeholdServer", "FreeholdStudioServer",
                .product(name: "FreeholdStudio", package: "Freehold"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "FreeholdStudioCommand",
            dependencies: [
                "FreeholdStudioServer",
                .product(name: "FreeholdStudio", package: "Freehold"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "FreeholdSyncDemo",
            dependencies: [
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "FreeholdSync", package: "Freehold"),
                .product(name: "RealmSwift", package: "Freehold"),
            ],
            swiftSettings: settings
        ),
        // The WebSocket of an official Realm client.
        .target(
            name: "RealmClientSocket",
            dependencies: [
                .product(name: "FreeholdCompression", package: "Freehold"),
                .product(name: "FreeholdRealmWire", package: "Freehold"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "Tests/RealmClientSocket",
            swiftSettings: settings
        ),
        // Measures a server on loopback; no test does.
        .executableTarget(
            name: "FreeholdServerBench",
            dependencies: [
                "FreeholdServer", "RealmClientSocket",
                .product(name: "FreeholdRealmWire", package: "Freehold"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "FreeholdCompression", package: "Freehold"),
                .product(name: "FreeholdEngine", package: "Freehold"),
                .product(name: "FreeholdServerStore", package: "Freehold"),
                .product(name: "FreeholdSync", package: "Freehold"),
                .product(name: "FreeholdSyncCore", package: "Freehold"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings
        ),
        // Hands objects of a store on until the tests kill it.
        .executableTarget(
            name: "freehold-sinkchild",
            dependencies: [
                "FreeholdServer",
                .product(name: "FreeholdServerStore", package: "Freehold"),
                .product(name: "FreeholdSyncCore", package: "Freehold"),
            ],
            path: "Tests/SinkChild",
            swiftSettings: settings
        ),
        // Random numbers of all tests.
        .target(name: "ServerTestRandom", path: "Tests/ServerTestRandom", swiftSettings: settings),
        // An HTTP server whose answers tests choose.
        .target(
            name: "TestReceiver",
            dependencies: [
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            path: "Tests/TestReceiver",
            swiftSettings: settings
        ),
        .testTarget(
            name: "FreeholdSinkTests",
            dependencies: [
                "FreeholdServer", "freehold-sinkchild", "TestReceiver", "ServerTestRandom",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
                .product(name: "FreeholdBSON", package: "Freehold"),
                .product(name: "FreeholdServerStore", package: "Freehold"),
                .product(name: "FreeholdSyncCore", package: "Freehold"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: settings
        ),
        // A PostgreSQL that tests start. Without the trait it is empty.
        .target(name: "PostgresProcess", path: "Tests/PostgresProcess", swiftSettings: settings),
        .testTarget(
            name: "FreeholdPostgresStoreTests",
            dependencies: [
                "FreeholdPostgresStore", "PostgresProcess",
                .product(name: "FreeholdBSON", package: "Freehold"),
                .product(name: "FreeholdCompression", package: "Freehold"),
                .product(name: "FreeholdEngine", package: "Freehold"),
                .product(name: "FreeholdServerStore", package: "Freehold"),
                .product(name: "FreeholdSyncCore", package: "Freehold"),
                .product(name: "FreeholdSyncDocuments", package: "Freehold"),
                .product(name: "_FreeholdSyncWorlds", package: "Freehold"),
            ],
            swiftSettings: settings
        ),
        // A client that tests start and kill.
        .target(name: "ShiftedClock", path: "Tests/ShiftedClock"),
        .executableTarget(
            name: "SyncChild",
            dependencies: [
                "ShiftedClock", "ServerTestRandom",
                .product(name: "FreeholdSync", package: "Freehold"),
                .product(name: "RealmSwift", package: "Freehold"),
            ],
            path: "Tests/SyncChild",
            swiftSettings: settings
        ),
        // Makes a file for the browser tests of Studio, and commits to it, or connects devices to a server.
        .executableTarget(
            name: "freehold-studiochild",
            dependencies: [
                .product(name: "Freehold", package: "Freehold"),
                .product(name: "FreeholdEngine", package: "Freehold"),
                .product(name: "FreeholdSync", package: "Freehold"),
                .product(name: "FreeholdSyncCore", package: "Freehold"),
            ],
            path: "Tests/StudioChild",
            swiftSettings: settings
        ),
        .testTarget(
            name: "FreeholdServerTests",
            dependencies: [
                "FreeholdServer", "FreeholdHTTP", "FreeholdPostgresAccounts", "FreeholdPostgresStore",
                "FreeholdStudioServer", "FreeholdServerStudio", "PostgresProcess",
                "SyncChild", "TestReceiver", "ServerTestRandom", "RealmClientSocket",
                .product(name: "FreeholdRealmWire", package: "Freehold"),
                .product(name: "FreeholdStudio", package: "Freehold"),
                .product(name: "FreeholdEngine", package: "Freehold"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
                .product(name: "Freehold", package: "Freehold"),
                .product(name: "FreeholdCompression", package: "Freehold"),
                .product(name: "FreeholdServerStore", package: "Freehold"),
                .product(name: "FreeholdSync", package: "Freehold"),
                .product(name: "FreeholdSyncCore", package: "Freehold"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: settings
        ),
    ]
)

// Builds the test targets of its choice alone, and only the executables that they need.
if let chosen = Context.environment["FREEHOLD_TESTS"]?.split(separator: ",").map(String.init), !chosen.isEmpty {
    let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
    var (needed, waiting) = (Set<String>(), chosen)
    while let name = waiting.popLast() {
        guard needed.insert(name).inserted, let target = targets[name] else { continue }
        for case .byNameItem(let name, _) in target.dependencies { waiting.append(name) }
    }
    package.targets.removeAll { [.test, .executable].contains($0.type) && !needed.contains($0.name) }
    package.products.removeAll { ($0 as? Product.Executable)?.targets.allSatisfy(needed.contains) == false }
}
