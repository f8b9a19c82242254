import FreeholdSyncCore

/// Devices behind slow networks and a node, in virtual time. A network has a speed in each direction, loses packets, and is cut repeatedly. The
/// duration of a message follows from its bytes.
struct SlowWorld {
    struct Network {
        var bytesPerSecond: Int64
        /// One way, in microseconds.
        var latency: Int64 = 40_000
        /// Packets of a hundred that have to be sent twice. Each delays the network by `retransmission`.
        var loss = 0
        var retransmission: Int64 = 200_000
        var packet: Int64 = 1_400
        /// The connection is cut whenever so much time has passed.
        var cut: Int64?

        static let fast = Network(bytesPerSecond: 100 << 20, latency: 100)
    }

    /// One direction of a connection.
    fileprivate struct Pipe<Message> {
        private(set) var messages: [(at: Int64, message: Message)] = []
        private var free: Int64 = 0
        private(set) var bytes: Int64 = 0

        mutating func send(
            _ message: Message,
            bytes count: Int,
            over network: Network,
            now: Int64,
            random: inout SeededRandom
        ) {
            // Includes the bytes of frames and packets.
            let size = Int64(count) + 14 + (Int64(count) / network.packet + 1) * 40
            bytes += size
            var duration = size * 1_000_000 / network.bytesPerSecond
            for _ in 0...(size / network.packet) where random.chance(network.loss) {
                duration += network.packet * 1_000_000 / network.bytesPerSecond + network.retransmission
            }
            free = max(free, now) + duration
            messages.append((free + network.latency, message))
        }

        mutating func take() -> Message { messages.removeFirst().message }

        mutating func cut() { (messages, free) = ([], 0) }
    }

    struct Device {
        let network: Network
        var store = MemoryClientStore()
        var machine: ClientMachine
        fileprivate var connection: ConnectionNumber?
        fileprivate var opens: Int64?
        fileprivate var timers: [ClientTimer: Int64] = [:]
        fileprivate var up = Pipe<ClientMessage>()
        fileprivate var down = Pipe<ServerMessage>()
        fileprivate var nextCut: Int64?
        fileprivate var nextProgress: Int64
        fileprivate(set) var connections = 0
        fileprivate(set) var reports: [ClientReport] = []
        var bytesUp: Int64 { up.bytes }
        var bytesDown: Int64 { down.bytes }
    }

    static let stream = StreamName(app: "slow")

    /// In microseconds.
    private(set) var time: Int64 = 1_000_000_000_000
    private(set) var devices: [Device] = []
    private var server: ServerMachine
    private(set) var store: any WorldStore
    private var timers: [ServerTimer: Int64] = [:]
    private var random: SeededRandom
    private var lastConnection: ConnectionNumber = 0
    private let codec = MessageCodec()
    private(set) var problems: [String] = []

    init(
        seed: UInt64,
        store: any WorldStore = MemoryServerStore(epoch: 7),
        configure: (inout ServerConfiguration) -> Void = { _ in }
    ) {
        random = SeededRandom(seed: seed)
        self.store = store
        var configuration = ServerConfiguration(apps: ["slow": ServerApp()]) { token, _ in token.text }
        configuration.commitSize = \.estimatedSize
        configure(&configuration)
        server = ServerMachine(configuration, matcher: SimpleMatcher())
    }

    private var now: Int64 { time / 1_000 }

    /// Adds a device that has everything of the class `Thing`, or will.
    mutating func add(_ network: Network, configure: (inout ClientConfiguration) -> Void = { _ in }) {
        var configuration = ClientConfiguration(app: "slow", token: AccessToken("t"))
        configure(&configuration)
        devices.append(
            Device(
                network: network,
                machine: ClientMachine(configuration),
                nextCut: network.cut.map { time + $0 },
                nextProgress: time
            )
        )
        let index = devices.count - 1
        handle(.started, index)
        handle(.subscribed([ClassQuery(className: "Thing", condition: "all")]), index)
    }

    mutating func commit(_ edits: [LocalEdit], _ index: Int) {
        do { try devices[index].store.commit(edits, wall: now) } catch { problems.append("\(error)") }
        handle(.committed, index)
    }

    // MARK: Devices

    private mutating func handle(_ event: ClientEvent, _ index: Int) {
        var events = [event]
        while !events.isEmpty {
            let actions = devices[index].machine.handle(events.removeFirst(), now: now, random: &random)
            for action in actions {
                switch action {
                case .connect:
                    disconnect(index)
                    devices[index].connections += 1
                    // Two round trips: the connection and the upgrade.
                    devices[index].opens = time + 4 * devices[index].network.latency
                case .send(let message):
                    guard devices[index].connection != nil else { continue }
                    let count = (try? codec.encode(message).count) ?? 0
                    if count == 0 { problems.append("a client's message can't be written") }
                    let network = devices[index].network
                    devices[index].up.send(message, bytes: count, over: network, now: time, random: &random)
                case .close: disconnect(index)
                case .setTimer(let timer, let at): devices[index].timers[timer] = at * 1_000
                case .clearTimer(let timer): devices[index].timers[timer] = nil
                case .report(let report): devices[index].reports.append(report)
                case .store(let request):
                    do {
                        events.append(
                            .stored(try devices[index].store.perform(request, now: now, random: &random))
                        )
                    } catch { problems.append("\(error)") }
                }
            }
        }
    }

    private mutating func disconnect(_ index: Int) {
        devices[index].up.cut()
        devices[index].down.cut()
        devices[index].opens = nil
        guard let connection = devices[index].connection else { return }
        devices[index].connection = nil
        // A server may notice a cut only when the device connects again.
        if random.chance(50) { run(.closed(connection)) }
    }

    // MARK: The server

    private mutating func run(_ event: ServerEvent) {
        var events = [event]
        while !events.isEmpty {
            for action in server.handle(events.removeFirst(), now: now, random: &random) {
                switch action {
                case .send(let connection, let message):
                    if case .error(_, let error) = message, error.fault == .violation {
                        problems.append("a violation: \(error.text)")
                    }
                    guard let index = devices.firstIndex(where: { $0.connection == connection }) else { continue }
                    let count = (try? codec.encode(message).count) ?? 0
                    if count == 0 { problems.append("a server's message can't be written") }
                    let network = devices[index].network
                    devices[index].down.send(message, bytes: count, over: network, now: time, random: &random)
                case .close(let connection):
                    guard let index = devices.firstIndex(where: { $0.connection == connection }) else { continue }
                    devices[index].connection = nil
                    handle(.connectionClosed, index)
                case .request(let number, let request):
                    events.append(.answered(number, store.perform(request)))
                case .work(let number, var work): events.append(.worked(number, work.finish()))
                case .submitted, .cancelWork: break
                case .setTimer(let timer, let at): timers[timer] = at * 1_000
                }
            }
        }
        problems += store.problems
    }

    // MARK: Time

    /// Lets time pass until a condition is true, or for the given time.
    ///
    /// - Returns: The seconds that passed. Nil if the condition stays false.
    mutating func seconds(within limit: Double, until isDone: (SlowWorld) -> Bool) -> Double? {
        let start = time
        while problems.isEmpty {
            let passed = Double(time - start) / 1_000_000
            if isDone(self) { return passed }
            if passed > limit { return nil }
            step()
        }
        return nil
    }

    /// Lets the next thing happen.
    private mutating func step() {
        var (at, next): (Int64, (inout SlowWorld) -> Void) = (time + 1_000_000, { _ in })
        func propose(_ time: Int64?, _ body: @escaping (inout SlowWorld) -> Void) {
            if let time, time < at { (at, next) = (time, body) }
        }
        for (timer, time) in timers {
            propose(time) { world in
                world.timers[timer] = nil
                world.run(.timer(timer))
            }
        }
        for (index, device) in devices.enumerated() {
            for (timer, time) in device.timers {
                propose(time) { world in
                    world.devices[index].timers[timer] = nil
                    world.handle(.timer(timer), index)
                }
            }
            propose(device.opens) { $0.open(index) }
            propose(device.up.messages.first?.at) { world in
                let message = world.devices[index].up.take()
                guard let connection = world.devices[index].connection else { return }
                world.run(.received(connection, message, bytes: 100))
            }
            propose(device.down.messages.first?.at) { world in
                let message = world.devices[index].down.take()
                world.handle(.received(message, bytes: message.estimatedSize), index)
            }
            propose(device.nextCut) { $0.cut(index) }
            propose(device.nextProgress) { $0.noteProgress(index) }
        }
        time = max(time, at)
        next(&self)
    }

    private mutating func open(_ index: Int) {
        devices[index].opens = nil
        lastConnection += 1
        devices[index].connection = lastConnection
        run(.opened(lastConnection))
        handle(.connectionOpened, index)
    }

    private mutating func cut(_ index: Int) {
        devices[index].nextCut = devices[index].network.cut.map { time + $0 }
        guard devices[index].connection != nil else { return }
        disconnect(index)
        handle(.connectionClosed, index)
    }

    /// Reports progress, as a transport does at intervals while bytes move.
    private mutating func noteProgress(_ index: Int) {
        devices[index].nextProgress = time + 5_000_000
        guard devices[index].connection != nil else { return }
        guard !devices[index].up.messages.isEmpty || !devices[index].down.messages.isEmpty else { return }
        handle(.progressed, index)
    }
}
