# Everything a contributor runs. `make` alone lists the targets.

SWIFT ?= swift
LIST_OF_SOURCES = Sources Tests Examples Benchmarks Tools Server/Sources Server/Tests Server/Package.swift Package.swift
# Suites whose names match are the ones worth running under the thread sanitizer.
TSAN_SUITES ?= Concurrency|WriterLock|WriterThread|Registry|AsyncTests|StorageTransaction|LargeTransaction|HerdTests|ChangeSequence|ObservationReplay|SchemaObservation|SectionObservation|AsyncTurn|ObservationLife|PlaceStress
SOAK_SUITES ?= RealmWorld|BrokenClient|Damaged|CrashTests|LostWriteTests|Random|ModelTests|ProcessTests|HerdTests|ManyFiles|MergeComparison|MessageCodec|HostileBytes|HostileFile|HostileImport|JointWorld|SyncWorld|NodeSimulator|ServerRandom|SimulatorTests|SimulatedStore|HostileMachine|Values of damaged|CommitLogCrash|CommitLogTests|ManyLinks|ListTree|VerifyTests|DeletionComparison|ValueComparison|HistoryComparison|FollowedViews|DamageTests|QueryDatabase|LensCondition|StoredObject|JournalReplay|JournalContent|IndexTree|IndexAccess|OpenChunk|DraftTests|QueryGrammar|Walks through|BlockWalk|RegularExpression|LinkGraph|ViewIndex|NoLeak|FuzzTests|PlaceholderGraph|PlainTerm|GroupTests|ProjectRoundTrip|CompiledRules|EngineRules|ChangeEvent|EmbeddedTable|QueryStage|ZlibCompression|KillTests|PlaintextSearch|AddWaysTests|DirectCollectionTests|GroupedTests|MemberwiseQueryTests|StoreStressTests|LineEditingTests|TextTests|ConversionTests|FileTwinTests|SyncOnceTests|DistanceSortTests|TypedInDynamicTests|WrittenBytes|GrowthTests|SessionLife|ConflictOracle|ConditionOracle|LikePattern|Adversary|DecodingCost|JournalCost|DocumentCost|StoredFormCost|RuleCost
# Suites around fast ways, which only an optimised build takes as programs do.
RELEASE_SUITES ?= AddWays|ShortAdd|EmbeddedKind|KindMatrix|IterationTests|RandomOperations|FreezeTests|ThreadSafe|EngineModelTests|RandomQuery|IsolationTests|ManagedObject
# Suites of what the traits that are off by default add.
TRAIT_SUITES ?= DiagnosticsTests|LoggingTests|MetricsTests|PublisherTests|DemandTests
DEMO_FOLDER ?= $(CURDIR)/Examples/World/.build/database
DOCS_FOLDER ?= $(CURDIR)/.build/docs
PREFIX ?= /usr/local
# Tests need no debug information and no index, and there are none for XCTest. A module is compiled as a whole: that takes a third
# less processor time than the compiler's batches, which compile declarations and macros of one module several times.
TEST_FLAGS ?= --disable-xctest --enable-swift-testing --disable-index-store -debug-info-format none \
    -Xswiftc -whole-module-optimization -Xswiftc -no-emit-module-separately-wmo -Xswiftc -num-threads -Xswiftc 2
# A developer compiles the same modules again and again: incrementally, file by file.
FAST_FLAGS ?= --disable-xctest --enable-swift-testing --disable-index-store -debug-info-format none
# Suites that take more than some seconds, and that `make test-fast` leaves out.
SLOW_SUITES ?= CrashTests|LostWriteTests|Damaged|VerifyTests|RandomMigration|DeletionComparison|HiddenStorage|ManyLinks|MergeComparison|ListTree|SimulatorTests|HerdTests|HelpExample
# The server's package builds into the same folder, and with the same traits, so that nothing is compiled twice.
TEST_BUILD ?= $(CURDIR)/.build
# `make test SERVER_FLAGS="--traits PostgreSQL"` tests the store in PostgreSQL, too.
SERVER_FLAGS ?=
TEST_BUILD_FLAGS = --traits default,Sync --scratch-path $(TEST_BUILD) $(TEST_FLAGS)

.PHONY: studio install-studio help setup setup-postgres setup-bench demo demo-release sync-demo chores test test-package test-fast test-server test-postgres test-attacks cli install-cli server build-release build-traits bench bench-quick bench-compare bench-sync bench-build test-traits test-bundled-lmdb test-release simulate simulate-nodes soak soak-storm soak-hour tsan format lint lint-lower need-python docs docs-code test-studio studio-pictures bench-studio examples inventory rounds bench-postgres bench-realm

help:
	@echo "make setup        install the C libraries that Freehold needs (LMDB, and zlib for sync), where they are missing"
	@echo "make demo         build the world example, run it on a fresh file, then reopen the file"
	@echo "make demo-release the same in an optimised build: four minutes to build, and the times that programs see"
	@echo "make sync-demo    build the server and a program with clients, and let them work offline and online"
	@echo "make cli          build the command freehold in release: Tools/.build/release/freehold"
	@echo "make install-cli  build it, and copy it to PREFIX/bin (/usr/local)"
	@echo "make studio       build freehold-studio in release, which 'freehold studio' starts; prints the path of the binary"
	@echo "make install-studio build it, and copy it to PREFIX/bin (/usr/local)"
	@echo "make server       build freehold-server in release, without debug information; prints the path of the binary"
	@echo "make build-release build every product in release with the documented flags, as before each release"
	@echo "make test         every test: the package's, the example's, the command's, the server's"
	@echo "make test-package the same without the server's"
	@echo "make test-fast    the suites of the modules that you changed, or FILTER=…, without slow ones; quick when repeated"
	@echo "make test-server  the server's tests, with clients over sockets of this machine"
	@echo "make test-postgres the tests of the store in PostgreSQL alone; FREEHOLD_REQUIRE_POSTGRES=1 fails them if PostgreSQL isn't installed"
	@echo "make test-studio  the tests of Studio's page in Chromium; TESTS=\"test_data.QueryTests\" runs those; they are skipped if Chromium is missing"
	@echo "make studio-pictures  make the pictures of Studio's article again"
	@echo "make test-attacks attacks on the server's process while honest users are measured, in an optimised build; ATTACK=\"TEXT;TEXT\" runs those"
	@echo "make chores       build the example of an app with views, test it, and run it"
	@echo "make examples     test the examples Inventory and Rounds, in the build folder of make test"
	@echo "make inventory    run the example of a web service, on Examples/Inventory/.build/data and port 8080"
	@echo "make rounds       run the example of an app with sync: a server, two devices, conflicts, a refusal, a restored backup"
	@echo "make test-traits  the suites of logs, metrics and publishers, built with the traits Logging, Metrics and Combine"
	@echo "make build-traits the libraries with each combination of traits, or with TRAITS=\"none Sync\""
	@echo "make test-bundled-lmdb the engine on an LMDB that a package brings, as on systems without one of their own"
	@echo "make test-release the suites around fast ways, in an optimised build"
	@echo "make bench        the full benchmark beside SQLite and LMDB; writes Benchmarks/results.md"
	@echo "make bench-postgres measure a server on PostgreSQL: uploads, binds, one change to another client, an idle server"
	@echo "make bench-realm  official Realm clients on a release server: a bootstrap, one change to another client, uploads, idle sessions"
	@echo "make bench-quick  the same with 100,000 objects; prints only"
	@echo "make bench-compare BASE=COMMIT [ONLY=TEXT]  fails where this folder is more than 10 % slower than a commit"
	@echo "make bench-sync   merges, batches, bootstraps and many sessions of sync; writes Benchmarks/sync-results.md"
	@echo "make bench-studio Studio and its page in Chromium, in release: start, scrolling, commits on the screen, memory; ROWS=1000000"
	@echo "make bench-build  build the benchmarks without running them (make soak does it, too)"
	@echo "make simulate     SEED=… COUNT=…: worlds of the sync simulator, in an optimised build"
	@echo "make simulate-nodes SEED=… COUNT=…: worlds of nodes that share a store, in an optimised build"
	@echo "make soak         the crash and random tests for much longer"
	@echo "make soak-storm   the storm of client and server processes only, a part of make soak"
	@echo "make soak-hour    writers, readers and observers of several threads and processes for an hour: flat memory, a small file"
	@echo "make tsan         the concurrency tests under the thread sanitizer"
	@echo "make format       format the sources"
	@echo "make lint         check the formatting, the order of the layers, the paths in documents, and the language and labels of files"
	@echo "make lint-lower   lower Scripts/language-baseline.txt to the present counts, after an improvement"
	@echo "make docs         build the documentation into .build/docs; a link that leads nowhere fails it"
	@echo "make docs-code    make the Swift files of the code in README.md and the articles anew: tests compile and run them"

setup:
	@Scripts/need lmdb liblmdb-dev lmdb
	@Scripts/need zlib zlib1g-dev zlib

setup-postgres: setup
	@Scripts/need libpq libpq-dev libpq

setup-bench: setup
	@Scripts/need sqlite3 libsqlite3-dev sqlite

# An optimised build takes four times as long (the compiler optimises each module as a whole, on one core).
DEMO_FLAGS = -c $(DEMO_BUILD) --package-path Examples/World --disable-index-store -Xswiftc -gnone -Xcc -g0
demo: DEMO_BUILD = debug
demo-release: DEMO_BUILD = release
demo demo-release: setup
	@mkdir -p $(DEMO_FOLDER)
	$(SWIFT) build $(DEMO_FLAGS) --product World
	@echo
	@echo "── first run: a fresh file ─────────────────────────────────────────────"
	@$(SWIFT) run $(DEMO_FLAGS) --skip-build World --fresh $(DEMO_FOLDER)
	@echo
	@echo "── second run: the same file, opened again ─────────────────────────────"
	@$(SWIFT) run $(DEMO_FLAGS) --skip-build World $(DEMO_FOLDER)

test: test-package
	@$(MAKE) --no-print-directory test-server
	@echo "Freehold: every test passed"

test-package: setup
	@FREEHOLD_DEVELOPMENT=1 SWIFT="$(SWIFT)" Scripts/test $(TEST_BUILD_FLAGS)

# The suites of the modules that changed (FILTER=… chooses others), built in the compiler's incremental mode.
test-fast: setup
	@FREEHOLD_DEVELOPMENT=1 SWIFT="$(SWIFT)" FILTER="$(FILTER)" SLOW_SUITES="$(SLOW_SUITES)" \
		Scripts/test-fast --traits default,Sync --scratch-path $(CURDIR)/.build-fast $(FAST_FLAGS)

# A package of its own: users of Freehold fetch nothing that a server needs.
test-server: setup
	@SWIFT="$(SWIFT)" TEST_WIDTH=12 TEST_ALONE=NoisyNeighbourTests Scripts/test --package-path Server $(SERVER_FLAGS) --scratch-path $(TEST_BUILD) $(TEST_FLAGS)

# The store in PostgreSQL alone. The tests start a PostgreSQL in a temporary folder, and are skipped if none is installed.
test-postgres: setup-postgres
	@FREEHOLD_TESTS=FreeholdPostgresStoreTests BUILD_ARGUMENTS="--product FreeholdServerPackageTests" SWIFT="$(SWIFT)" Scripts/test --package-path Server --traits PostgreSQL \
		--scratch-path $(TEST_BUILD)-postgres $(TEST_FLAGS)

# The page of Studio in a browser. FREEHOLD_REQUIRE_CHROMIUM=1 fails if Chromium is missing, INSTALL=1 installs it by apt-get.
test-studio: setup
	@SWIFT="$(SWIFT)" STUDIO_FLAGS="$(SERVER_FLAGS) --scratch-path $(TEST_BUILD) $(TEST_FLAGS)" Scripts/test-studio $(TESTS)

studio-pictures: setup
	@SWIFT="$(SWIFT)" STUDIO_FLAGS="$(SERVER_FLAGS) --scratch-path $(TEST_BUILD) $(TEST_FLAGS)" Scripts/test-studio --pictures $(CURDIR)/docs/studio

# Prints a table: times of honest users while one attacks, and the server's memory. It takes about an hour.
test-attacks: setup
	FREEHOLD_ATTACKS="$(or $(ATTACK),1)" $(SWIFT) test --package-path Server -c release -Xswiftc -enable-testing --scratch-path $(CURDIR)/.build-soak \
		--no-parallel --filter NoisyNeighbourTests
	@echo "Freehold: the attacks are withstood, or known"

# The tests are found by the index. Views need SwiftUI. On other systems the app's model and view model are tested, and the app prints its samples.
chores: setup
	$(SWIFT) test --package-path Examples/Chores $(filter-out --disable-index-store,$(TEST_FLAGS))
	$(SWIFT) run --package-path Examples/Chores --disable-index-store Chores

# They build into the folder of `make test`, with its flags and the server's traits, so that shared modules are compiled once.
EXAMPLE_FLAGS = --scratch-path $(TEST_BUILD) $(TEST_FLAGS)
examples: setup
	@EXAMPLES_SHARED_BUILD=1 SWIFT="$(SWIFT)" Scripts/test --package-path Examples/Inventory $(EXAMPLE_FLAGS)
	@BUILD_ARGUMENTS="--product freehold-server" BUILD_ONLY=1 SWIFT="$(SWIFT)" Scripts/test --package-path Server $(SERVER_FLAGS) $(EXAMPLE_FLAGS)
	@SWIFT="$(SWIFT)" Scripts/test --package-path Examples/Rounds $(EXAMPLE_FLAGS)
	@echo "Freehold: the examples passed"

INVENTORY_FOLDER ?= $(CURDIR)/Examples/Inventory/.build/data
inventory: setup
	EXAMPLES_SHARED_BUILD=1 SWIFT_DETERMINISTIC_HASHING=1 $(SWIFT) build --package-path Examples/Inventory $(EXAMPLE_FLAGS) --product inventory
	@exec "$$(EXAMPLES_SHARED_BUILD=1 $(SWIFT) build --package-path Examples/Inventory $(EXAMPLE_FLAGS) --show-bin-path)/inventory" "$(INVENTORY_FOLDER)"

rounds: setup
	@SWIFT="$(SWIFT)" BUILD_FLAGS="$(EXAMPLE_FLAGS)" Examples/Rounds/demo

sync-demo: setup
	@SWIFT="$(SWIFT)" BUILD_FLAGS="$(TEST_FLAGS)" Scripts/sync-demo

cli: setup
	$(SWIFT) build -c release --package-path Tools --product freehold

install-cli: cli
	install -d $(DESTDIR)$(PREFIX)/bin
	install -m 755 "$$($(SWIFT) build -c release --package-path Tools --show-bin-path)/freehold" $(DESTDIR)$(PREFIX)/bin/freehold

# The program of Studio, which `freehold studio` starts.
studio: setup
	$(SWIFT) build -c release --package-path Server --product freehold-studio
	@echo "$$($(SWIFT) build -c release --package-path Server --show-bin-path)/freehold-studio"

install-studio: studio
	install -d $(DESTDIR)$(PREFIX)/bin
	install -m 755 "$$($(SWIFT) build -c release --package-path Server --show-bin-path)/freehold-studio" $(DESTDIR)$(PREFIX)/bin/freehold-studio

server: setup
	@SWIFT="$(SWIFT)" Scripts/server

# No test builds in release: a compiler can fail there alone. CONTRIBUTING.md says when this runs.
build-release: setup-bench setup-postgres server cli
	$(SWIFT) build -c release --package-path Server --disable-index-store
	@SWIFT="$(SWIFT)" TRAITS=PostgreSQL Scripts/server Server/.build/server-postgres
	$(SWIFT) build -c release --package-path Examples/World --disable-index-store
	$(SWIFT) build -c release --package-path Benchmarks --disable-index-store
	@echo "Freehold: every product builds in release"

# Times of Studio and its page in release, for docs and Benchmarks.
bench-studio: setup
	@SWIFT="$(SWIFT)" Scripts/test-studio --measure $(ROWS)

bench: setup-bench
	$(SWIFT) build -c release --package-path Benchmarks
	$(SWIFT) run -c release --package-path Benchmarks --skip-build freehold-bench --output $(CURDIR)/Benchmarks/results.md

bench-quick: setup-bench
	$(SWIFT) build -c release --package-path Benchmarks
	$(SWIFT) run -c release --package-path Benchmarks --skip-build freehold-bench --quick

# A release server on a PostgreSQL in a temporary folder.
bench-postgres: setup-postgres
	@SWIFT="$(SWIFT)" Scripts/bench-postgres

# Official Realm clients on a release server with files.
bench-realm: setup
	@SWIFT="$(SWIFT)" Scripts/bench-realm

# `make bench-compare BASE=origin/main`, or with ONLY="find by" for some workloads.
bench-compare: setup-bench
	@SWIFT="$(SWIFT)" Scripts/bench-compare "$(BASE)" $(if $(ONLY),--only "$(ONLY)")

bench-sync: setup-bench
	$(SWIFT) build -c release --package-path Benchmarks --product freehold-sync-bench
	$(SWIFT) run -c release --package-path Benchmarks --skip-build freehold-sync-bench --output $(CURDIR)/Benchmarks/sync-results.md

# No test builds the benchmarks: this finds out what a change of the library broke there.
bench-build: setup-bench
	$(SWIFT) build --package-path Benchmarks --disable-index-store -Xswiftc -gnone -Xcc -g0
	@echo "Freehold: the benchmarks build"

test-traits: setup
	FREEHOLD_DEVELOPMENT=1 FREEHOLD_TESTS=FreeholdTests,FreeholdCombineTests \
		$(SWIFT) test --traits default,Logging,Metrics,Combine --scratch-path .build-traits $(TEST_FLAGS) --filter "$(TRAIT_SUITES)"
	@echo "Freehold: the run with every trait passed"

build-traits: setup
	@SWIFT="$(SWIFT)" Scripts/build-traits $(TRAITS)

test-bundled-lmdb: setup
	@SWIFT="$(SWIFT)" Scripts/test-bundled-lmdb

test-release: setup
	$(SWIFT) test -c release -Xswiftc -enable-testing --scratch-path .build-soak --filter "$(RELEASE_SUITES)"
	@echo "Freehold: the release run passed"

# Worlds of the sync simulator: `make simulate SEED=1 COUNT=2000`. One that fails prints a script of its events, as short as it gets.
SEED ?= 1
COUNT ?= 2000
simulate: setup
	FREEHOLD_SEED=$(SEED) FREEHOLD_COUNT=$(COUNT) $(SWIFT) test -c release -Xswiftc -enable-testing --scratch-path .build-soak --filter SimulatorTests

# Worlds of nodes that share a store: `make simulate-nodes SEED=1 COUNT=100000`. FREEHOLD_WIDTH is the number of threads.
simulate-nodes: setup
	FREEHOLD_SEED=$(SEED) FREEHOLD_COUNT=$(COUNT) FREEHOLD_TESTS=FreeholdServerNodesTests $(SWIFT) test -c release -Xswiftc -enable-testing \
	    --scratch-path .build-soak --filter NodeSimulatorTests

soak: bench-build
	FREEHOLD_SOAK=1 $(SWIFT) test -c release -Xswiftc -enable-testing --scratch-path .build-soak --filter "$(SOAK_SUITES)"
	@$(MAKE) soak-storm
	@echo "Freehold: the soak passed"

# Clients and a server as processes: kills, cuts, slow networks, restored copies. Programs are built in debug, as for make test-server.
soak-storm: setup
	@FREEHOLD_SOAK=1 TEST_SECONDS=7200 TEST_ARGUMENTS="--filter StormTests|HistoryTests" SWIFT="$(SWIFT)" \
	    Scripts/test --package-path Server --scratch-path $(TEST_BUILD) $(TEST_FLAGS)

soak-hour: setup
	FREEHOLD_SOAK_MINUTES=60 $(SWIFT) test -c release -Xswiftc -enable-testing --scratch-path .build-soak --filter HerdTests
	@echo "Freehold: the hour of writers and observers passed"

tsan: setup
	TSAN_OPTIONS="halt_on_error=1 $$TSAN_OPTIONS" $(SWIFT) test --sanitize=thread -Xswiftc -DFREEHOLD_TSAN --scratch-path .build-tsan --filter "$(TSAN_SUITES)"
	@echo "Freehold: the thread-sanitizer run passed"

format:
	$(SWIFT) format --in-place --recursive $(LIST_OF_SOURCES)

lint: need-python
	$(SWIFT) format lint --strict --parallel --recursive $(LIST_OF_SOURCES)
	@Scripts/rooms
	@Scripts/doc-paths
	@Scripts/language-test --quiet
	@Scripts/language check
	@echo "lint passed"

lint-lower: need-python
	@Scripts/language lower

need-python:
	@command -v python3 >/dev/null || { echo "make lint needs python3, 3.8 or later (apt-get install python3, brew install python)" >&2; exit 1; }

docs: setup
	@Scripts/docs $(DOCS_FOLDER)

docs-code:
	@SWIFT_DETERMINISTIC_HASHING=1 FREEHOLD_DEVELOPMENT=1 $(SWIFT) build --product DocumentCodeWriter $(TEST_BUILD_FLAGS)
	@"$$(FREEHOLD_DEVELOPMENT=1 $(SWIFT) build --show-bin-path $(TEST_BUILD_FLAGS))/DocumentCodeWriter"
