// swift-tools-version: 6.1
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

// Only these systems have an LMDB of their own. SwiftPM asks the pkg-config of the system that builds. A build for
// another system may have to hide its LMDB: set FREEHOLD_BUNDLED_LMDB, together with the trait BundledLMDB.
let systemLMDB: [Target.Dependency] =
    Context.environment["FREEHOLD_BUNDLED_LMDB"] == nil
    ? [.target(name: "CLMDB", condition: .when(platforms: [.linux, .macOS]))] : []

// `Tests/FreeholdTests` is compiled as two modules, so that two processors compile them at the same time: these folders are the
// target FreeholdFileTests, and the others are FreeholdTests.
let fileTests = ["Files", "JSON", "Migration", "Regression", "Results", "Seeds", "Snapshots", "Values"]
let otherTests = [
    "Audit", "Collections", "Diagnostics", "Embedded", "Imports.swift", "Mixed", "Model", "Observation", "Projection",
    "Query",
    "Realm", "Threading",
]

// Systems without Combine use OpenCombine. In development it is built without the trait, too, so that `make test` tests the
// publishers and the views.
let isDevelopment = Context.environment["FREEHOLD_DEVELOPMENT"] != nil
let withoutCombine: [Platform] = [.linux, .android, .windows]
let combine: [Target.Dependency] = ["OpenCombine", "OpenCombineDispatch", "OpenCombineFoundation"].map {
    .product(
        name: $0,
        package: "OpenCombine",
        condition: isDevelopment
            ? .when(platforms: withoutCombine) : .when(platforms: withoutCombine, traits: ["Combine"])
    )
}
let combineSettings: [SwiftSetting] = settings + (isDevelopment ? [.define("Combine")] : [])
// The views are compiled with the tests' module of SwiftUI's interfaces where SwiftUI doesn't exist.
let shapes: [Target.Dependency] =
    isDevelopment ? [.target(name: "SwiftUIShapes", condition: .when(platforms: withoutCombine))] : []
let viewSettings: [SwiftSetting] =
    combineSettings + (isDevelopment ? [.define("SwiftUIShapes", .when(platforms: withoutCombine))] : [])

let package = Package(
    name: "Freehold",
    // Those whose standard library has `Mutex` and `Atomic`.
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "Freehold", targets: ["Freehold"]),
        .library(name: "RealmSwift", targets: ["RealmSwift"]),
        .library(name: "Realm", targets: ["Realm"]),
        .library(name: "FreeholdCombine", targets: ["FreeholdCombine"]),
        .library(name: "FreeholdSwiftUI", targets: ["FreeholdSwiftUI"]),
        .library(name: "FreeholdEngine", targets: ["FreeholdEngine"]),
        .library(name: "FreeholdBSON", targets: ["FreeholdBSON"]),
        .library(name: "FreeholdServerStore", targets: ["FreeholdServerStore"]),
        .library(name: "FreeholdRealmWire", targets: ["FreeholdRealmWire"]),
        .library(name: "FreeholdRealmFront", targets: ["FreeholdRealmFront"]),
        .library(name: "RealmFileReader", targets: ["RealmFileReader"]),
        .library(name: "FreeholdSync", targets: ["FreeholdSync"]),
        .library(name: "FreeholdSyncCore", targets: ["FreeholdSyncCore"]),
        .library(name: "FreeholdCompression", targets: ["FreeholdCompression"]),
        .library(name: "FreeholdSyncRules", targets: ["FreeholdSyncRules"]),
        .library(name: "FreeholdSyncDocuments", targets: ["FreeholdSyncDocuments"]),
        .library(name: "FreeholdImport", targets: ["FreeholdImport"]),
        .library(name: "ModelWriter", targets: ["ModelWriter"]),
        .library(name: "FreeholdStudio", targets: ["FreeholdStudio"]),
        // For the tests of the package Server.
        .library(name: "_FreeholdSyncWorlds", targets: ["SyncWorlds", "TestRandom"]),
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
        .trait(
            name: "Sync",
            description: "Connections to a sync server, by swift-nio and swift-nio-ssl. Without it neither is fetched."
        ),
        .trait(
            name: "Combine",
            description:
                "Publishers on systems without Combine, by OpenCombine. Without it OpenCombine isn't fetched. Apple's "
                + "systems have the publishers with or without this trait."
        ),
        .trait(
            name: "BundledLMDB",
            description:
                "LMDB from a package that carries its source (CLMDB), for systems that have none. Without it that "
                + "package isn't fetched."
        ),
        .default(enabledTraits: ["Encryption"]),
    ],
    dependencies: [
        .package(url: "https://github.com/agisboye/CLMDB", .upToNextMinor(from: "0.9.33")),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.0.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.81.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.29.0"),
        .package(url: "https://github.com/OpenCombine/OpenCombine", .upToNextMinor(from: "0.14.0")),
    ],
    targets: [
        .systemLibrary(
            name: "CLMDB",
            pkgConfig: "lmdb",
            providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]
        ),
        // LMDB's header, of the system or of a package.
        .target(
            name: "CFreeholdLMDB",
            dependencies: systemLMDB + [
                .product(name: "LMDB", package: "CLMDB", condition: .when(traits: ["BundledLMDB"]))
            ]
        ),
        .target(name: "CFreeholdShims"),
        // Not "CZlib": modules of that name are in many packages, and two of one name can't be in one build.
        .systemLibrary(
            name: "CFreeholdZlib",
            pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]
        ),
        .target(
            name: "FreeholdEngine",
            dependencies: [
                "CFreeholdLMDB", "CFreeholdShims",
                .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Encryption"])),
            ],
            swiftSettings: settings
        ),
        // Sync without a network: what happened, and how it merges. No IO, no task, no clock.
        .target(
            name: "FreeholdSyncCore",
            dependencies: ["FreeholdEngine", "FreeholdBSON"],
            swiftSettings: settings
        ),
        // Documents in and out of a stream: imports, patches, change streams. No IO, no task, no clock.
        .target(
            name: "FreeholdSyncDocuments",
            dependencies: ["FreeholdSyncCore", "FreeholdEngine", "FreeholdBSON"],
            swiftSettings: settings
        ),
        // Compresses messages: what the core leaves to the platform.
        .target(
            name: "FreeholdCompression",
            dependencies: ["FreeholdSyncCore", "CFreeholdZlib"],
            swiftSettings: settings
        ),
        // The rights of users, and schemas as documents. No task, no clock, and no IO except the folders of exported
        // projects.
        .target(
            name: "FreeholdSyncRules",
            dependencies: ["FreeholdSyncCore", "FreeholdEngine", "FreeholdBSON"],
            swiftSettings: settings
        ),
        // A server's store in files of Freehold: objects as rows of tables made from the schema.
        .target(
            name: "FreeholdServerStore",
            dependencies: ["FreeholdEngine", "FreeholdSyncCore", "FreeholdBSON"],
            swiftSettings: settings
        ),
        // Nodes of a server that share a store: presence, links, leases, forwards, drains. No IO, no task, no clock.
        .target(name: "FreeholdServerNodes", dependencies: ["FreeholdSyncCore"], swiftSettings: settings),
        // The sync client: sessions that drive the core's machine, and, with the trait Sync, connections.
        .target(
            name: "FreeholdSync",
            dependencies: [
                "Freehold", "FreeholdEngine", "FreeholdSyncCore", "FreeholdSyncRules", "FreeholdBSON",
                .target(name: "FreeholdCompression", condition: .when(traits: ["Sync"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Sync"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Sync"])),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["Sync"])),
                .product(name: "NIOWebSocket", package: "swift-nio", condition: .when(traits: ["Sync"])),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["Sync"])),
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
        // Model classes of a schema as source code in ten languages: of the engine it needs the form of schemas.
        .target(name: "ModelWriter", dependencies: ["FreeholdEngine"], swiftSettings: settings),
        // BSON and Extended JSON: of the engine it needs ObjectId and Decimal128.
        .target(name: "FreeholdBSON", dependencies: ["FreeholdEngine"], swiftSettings: settings),
        // Files that Realm wrote, for reading: of the engine it needs the types of values.
        .target(name: "RealmFileReader", dependencies: ["FreeholdEngine"], swiftSettings: settings),
        // The sync protocol of official Realm clients: bytes, the client's merge, and what a client shows. No IO, no task, no clock.
        .target(name: "FreeholdRealmWire", swiftSettings: settings),
        // Sessions of official Realm clients with a server's machine. No IO, no task, no clock.
        .target(
            name: "FreeholdRealmFront",
            dependencies: [
                "FreeholdRealmWire", "FreeholdSyncCore", "FreeholdSyncRules", "FreeholdEngine", "FreeholdBSON",
            ],
            swiftSettings: settings
        ),
        .target(
            name: "FreeholdImport",
            dependencies: ["RealmFileReader", "Freehold", "FreeholdEngine"],
            swiftSettings: settings
        ),
        // Publishers, with Combine or OpenCombine. Without either it is empty.
        .target(
            name: "FreeholdCombine",
            dependencies: ["Freehold"] + combine + [
                .target(name: "FreeholdSync", condition: .when(traits: ["Sync"])),
                .target(name: "FreeholdSyncCore", condition: .when(traits: ["Sync"])),
            ],
            swiftSettings: combineSettings
        ),
        // Property wrappers and bindings for views. Without SwiftUI it is empty.
        .target(
            name: "FreeholdSwiftUI",
            dependencies: [
                "Freehold", "FreeholdCombine", .target(name: "FreeholdSync", condition: .when(traits: ["Sync"])),
            ] + shapes,
            swiftSettings: viewSettings
        ),
        // The sessions of Studio's page: files, queries, values, edits, history. No network. The package Server has the executable.
        .target(
            name: "FreeholdStudio",
            dependencies: ["Freehold", "FreeholdBSON", "FreeholdEngine", "FreeholdImport", "ModelWriter"],
            swiftSettings: settings
        ),
        .target(
            name: "RealmSwift",
            dependencies: [
                "Freehold", "FreeholdCombine", "FreeholdSwiftUI",
                .target(name: "FreeholdSync", condition: .when(traits: ["Sync"])),
            ],
            swiftSettings: viewSettings
        ),
        .target(name: "Realm", dependencies: ["RealmSwift"], swiftSettings: settings),
        // Counts what a thread allocates.
        .target(name: "AllocationMeter", path: "Tests/AllocationMeter"),
        // Random numbers of all tests, and damaged inputs of decoders.
        .target(
            name: "TestRandom",
            dependencies: ["AllocationMeter"],
            path: "Tests/TestRandom",
            swiftSettings: settings
        ),
        // Checks of all tests, as functions: they compile faster than macros.
        .target(name: "TestExpectations", path: "Tests/TestExpectations", swiftSettings: settings),
        // What the crash tests write: shared by the child that is killed and the test that checks.
        .target(
            name: "TestScript",
            dependencies: ["TestRandom", "FreeholdEngine", "CFreeholdShims"],
            path: "Tests/TestScript",
            swiftSettings: settings
        ),
        // What writers and observers of several processes do, and how it is checked.
        .target(
            name: "TestHerd",
            dependencies: ["TestRandom", "Freehold"],
            path: "Tests/TestHerd",
            swiftSettings: settings
        ),
        // Histories, worlds of clients and servers, and the oracle of merges. The tests of all modules of sync share
        // them.
        .target(
            name: "SyncWorlds",
            dependencies: ["TestRandom", "FreeholdSyncCore", "FreeholdSyncRules", "FreeholdEngine", "FreeholdBSON"],
            path: "Tests/SyncWorlds",
            swiftSettings: settings
        ),
        // Files that Realm wrote, and what they hold.
        .target(
            name: "TestRealmFiles",
            dependencies: ["TestRandom", "RealmFileReader", "FreeholdEngine"],
            path: "Tests/TestRealmFiles",
            swiftSettings: settings
        ),
        // An official Realm client of our own, and the model of its merge.
        .target(
            name: "TestRealmClient",
            dependencies: ["TestRandom", "FreeholdRealmWire"],
            path: "Tests/TestRealmClient",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "freehold-testchild",
            dependencies: [
                "TestRandom", "FreeholdEngine", "Freehold", "FreeholdSync", "FreeholdSyncCore", "TestScript",
                "TestHerd",
            ],
            path: "Tests/TestChild",
            swiftSettings: settings
        ),
        .testTarget(
            name: "FreeholdEngineTests",
            dependencies: ["TestExpectations", "TestRandom", "FreeholdEngine", "TestScript", "freehold-testchild"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "FreeholdSyncCoreTests",
            dependencies: [
                "TestExpectations", "TestRandom", "FreeholdSyncCore", "FreeholdCompression", "FreeholdEngine",
                "FreeholdBSON", "SyncWorlds",
            ],
            exclude: ["Golden"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "FreeholdSyncRulesTests",
            dependencies: [
                "TestExpectations", "TestRandom", "FreeholdSyncRules", "FreeholdSyncCore", "FreeholdEngine",
                "FreeholdBSON", "SyncWorlds",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "FreeholdSyncDocumentsTests",
            dependencies: [
                "TestExpectations", "TestRandom", "FreeholdSyncDocuments", "FreeholdSyncCore", "FreeholdEngine",
                "FreeholdBSON",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "FreeholdServerNodesTests",
            dependencies: [
                "TestExpectations", "TestRandom", "FreeholdServerNodes", "FreeholdSyncCore", "FreeholdEngine",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "FreeholdServerStoreTests",
            dependencies: [
                "TestExpectations", "TestRandom", "FreeholdServerStore", "FreeholdSyncCore", "FreeholdEngine",
                "FreeholdBSON", "SyncWorlds",
                "Freehold",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "FreeholdSyncTests",
            dependencies: [
                "TestExpectations", "TestRandom", "FreeholdSync", "FreeholdSyncCore", "FreeholdSyncRules",
                "FreeholdEngine", "FreeholdBSON",
                "SyncWorlds", "Freehold", "FreeholdCombine", "FreeholdSwiftUI", "TestScript", "freehold-testchild",
            ] + shapes,
            swiftSettings: viewSettings
        ),
        // Models and helpers of both targets below.
        .target(
            name: "FreeholdTestModels",
            dependencies: ["Freehold", "FreeholdEngine", "TestScript"],
            path: "Tests/FreeholdTestModels",
            swiftSettings: settings
        ),
        .testTarget(
            name: "FreeholdTests",
            dependencies: [
                "TestExpectations", "TestRandom", "Freehold", "FreeholdTestModels", "TestScript", "TestHerd",
                "freehold-testchild",
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Logging"])),
                .product(name: "Metrics", package: "swift-metrics", condition: .when(traits: ["Metrics"])),
            ],
            exclude: fileTests,
            swiftSettings: settings
        ),
        .testTarget(
            name: "FreeholdFileTests",
            dependencies: [
                "TestExpectations", "TestRandom", "Freehold", "FreeholdTestModels", "TestScript", "freehold-testchild",
            ],
            path: "Tests/FreeholdTests",
            exclude: otherTests + ["Seeds/README.md"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "FreeholdBSONTests",
            dependencies: ["TestExpectations", "TestRandom", "FreeholdBSON", "FreeholdEngine"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "RealmFileReaderTests",
            dependencies: ["TestExpectations", "TestRandom", "RealmFileReader", "FreeholdEngine", "TestRealmFiles"],
            exclude: ["Fixtures"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "FreeholdRealmWireTests",
            dependencies: [
                "TestExpectations", "TestRandom", "FreeholdRealmWire", "FreeholdCompression", "TestRealmClient",
            ],
            exclude: ["Golden"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "FreeholdRealmFrontTests",
            dependencies: [
                "TestExpectations", "TestRandom", "FreeholdRealmFront", "FreeholdRealmWire", "FreeholdSyncCore",
                "FreeholdSyncRules", "FreeholdEngine", "FreeholdBSON",
            ],
            swiftSettings: settings
        ),
        // Official and Freehold clients at one server.
        .testTarget(
            name: "RealmWorldTests",
            dependencies: [
                "TestExpectations", "TestRandom", "TestRealmClient", "SyncWorlds", "FreeholdRealmFront",
                "FreeholdRealmWire", "FreeholdSyncCore", "FreeholdSyncRules", "FreeholdEngine", "FreeholdCompression",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "FreeholdImportTests",
            dependencies: [
                "TestExpectations", "TestRandom", "FreeholdImport", "RealmFileReader", "Freehold", "FreeholdEngine",
                "TestRealmFiles",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ModelWriterTests",
            dependencies: [
                "TestExpectations", "TestRandom", "ModelWriter", "FreeholdEngine", "FreeholdBSON", "FreeholdSyncCore",
                "FreeholdSyncRules",
                "Freehold",
            ],
            exclude: ["Golden"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "FreeholdStudioTests",
            dependencies: [
                "TestExpectations", "TestRandom", "FreeholdStudio", "Freehold", "FreeholdEngine", "TestRealmFiles",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "RealmSwiftTests",
            dependencies: ["TestExpectations", "RealmSwift", "Realm"],
            swiftSettings: settings
        ),
    ]
)

// The command and the example are packages of their own, so that programs which depend on Freehold don't fetch their
// dependencies. Their tests are built with the library's, in one build, if this variable is set: `make test` sets it.
if isDevelopment {
    package.dependencies.append(.package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"))
    package.products.append(.executable(name: "freehold", targets: ["FreeholdCommand"]))
    package.targets += [
        .executableTarget(
            name: "FreeholdCommand",
            dependencies: [
                "Freehold", "FreeholdImport", "FreeholdSync", "ModelConverter", "ModelWriter", "FreeholdEngine",
                "FreeholdBSON", "FreeholdSyncRules",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tools/Sources/FreeholdCommand",
            swiftSettings: settings
        ),
        .target(name: "ModelConverter", path: "Tools/Sources/ModelConverter", swiftSettings: settings),
        .testTarget(
            name: "ModelConverterTests",
            dependencies: ["TestExpectations", "TestRandom", "ModelConverter", "RealmSwift"],
            path: "Tools/Tests/ModelConverterTests",
            exclude: ["Old"],
            swiftSettings: [.swiftLanguageMode(.v6)]
        ),
        .testTarget(
            name: "FreeholdCommandTests",
            dependencies: [
                "TestExpectations", "TestRandom", "FreeholdCommand", "Freehold", "FreeholdSync", "FreeholdEngine",
            ],
            path: "Tools/Tests/FreeholdCommandTests",
            swiftSettings: settings
        ),
        .target(
            name: "WorldModel",
            dependencies: ["Freehold"],
            path: "Examples/World/Sources/WorldModel",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "World",
            dependencies: ["WorldModel", "Freehold"],
            path: "Examples/World/Sources/World",
            swiftSettings: settings
        ),
        .testTarget(
            name: "WorldModelTests",
            dependencies: ["WorldModel", "Freehold"],
            path: "Examples/World/Tests/WorldModelTests",
            swiftSettings: settings
        ),
        // SwiftUI's interfaces for systems without SwiftUI, and a host that evaluates views.
        .target(
            name: "SwiftUIShapes",
            dependencies: combine,
            path: "Tests/SwiftUIShapes",
            swiftSettings: settings
        ),
        .testTarget(
            name: "FreeholdCombineTests",
            dependencies: ["TestExpectations", "TestRandom", "RealmSwift", "FreeholdCombine", "FreeholdTestModels"],
            swiftSettings: combineSettings
        ),
        .testTarget(
            name: "FreeholdSwiftUITests",
            dependencies: [
                "TestExpectations", "TestRandom", "RealmSwift", "FreeholdSwiftUI", "FreeholdTestModels", "TestScript",
            ] + shapes,
            swiftSettings: viewSettings
        ),
        .target(
            name: "ChoresModel",
            dependencies: ["RealmSwift"],
            path: "Examples/Chores/Sources/ChoresModel",
            swiftSettings: combineSettings
        ),
        .target(
            name: "ChoresViews",
            dependencies: ["ChoresModel", "RealmSwift"] + shapes,
            path: "Examples/Chores/Sources/ChoresViews",
            swiftSettings: viewSettings
        ),
        .testTarget(
            name: "ChoresTests",
            dependencies: ["ChoresModel", "ChoresViews", "RealmSwift"] + shapes,
            path: "Examples/Chores/Tests/ChoresTests",
            swiftSettings: viewSettings
        ),
        // The code of README.md and of the articles: `make docs-code` makes Swift files of it, which the tests compile and run.
        .target(name: "DocumentCode", path: "Tests/DocumentCode", swiftSettings: settings),
        .executableTarget(
            name: "DocumentCodeWriter",
            dependencies: ["DocumentCode"],
            path: "Tests/DocumentCodeWriter",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "freehold-documents",
            dependencies: [
                "Freehold", "FreeholdBSON", "FreeholdEngine", "FreeholdImport", "FreeholdSync", "RealmSwift",
            ],
            path: "Tests/DocumentRunner",
            // Examples make values that nothing uses.
            swiftSettings: settings + [.unsafeFlags(["-suppress-warnings"])]
        ),
        .testTarget(
            name: "DocumentTests",
            dependencies: ["TestExpectations", "DocumentCode", "Freehold", "TestScript", "freehold-documents"],
            path: "Tests/DocumentTests",
            swiftSettings: settings
        ),
    ]
}

// `make test-fast` builds the test targets of its choice, and only the executables that they need: a test bundle depends on all of them.
if let chosen = Context.environment["FREEHOLD_TESTS"]?.split(separator: ",").map(String.init), !chosen.isEmpty {
    let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
    var (needed, waiting) = (Set<String>(), chosen)
    while let name = waiting.popLast() {
        guard needed.insert(name).inserted, let target = targets[name] else { continue }
        for dependency in target.dependencies {
            switch dependency {
            case .targetItem(let name, _), .byNameItem(let name, _): waiting.append(name)
            default: break
            }
        }
    }
    package.targets.removeAll { [.test, .executable].contains($0.type) && !needed.contains($0.name) }
    package.products.removeAll { ($0 as? Product.Executable)?.targets.allSatisfy(needed.contains) == false }
}
