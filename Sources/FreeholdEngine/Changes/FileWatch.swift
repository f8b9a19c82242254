internal import CFreeholdShims
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A watch that calls closures when any process writes to files.
///
/// One thread of the process waits for all files. It runs as long as files are watched. It uses inotify on Linux and kqueue on Apple's systems. On
/// other systems, the closures aren't called. Linux limits the number of inotify instances for each user (`max_user_instances`, often 128), which all
/// processes of the user share. A process without an instance examines its files several times a second.
final class FileWatch: Sendable {
    private static let processes = PerProcess<FileWatch> { inherited in
        // A forked child doesn't have the thread and doesn't need the parent's callbacks.
        inherited?.running.exchange(nil, ordering: .acquiringAndReleasing)?.takeUnretainedValue().closeInherited()
        return FileWatch()
    }
    static var shared: FileWatch { processes.value }

    /// A closure that returns whether all changes have been seen. If it returns false, it is called again shortly afterwards.
    typealias Look = @Sendable () -> Bool

    /// A file that is watched until `cancel`.
    final class Registration: Sendable {
        private let id: Int
        private let watch: FileWatch
        private let generation = ForkGeneration.current

        fileprivate init(_ id: Int, _ watch: FileWatch) {
            self.id = id
            self.watch = watch
        }

        /// Ends the watch. Waits for a call that is in progress, unless the call itself cancels. In a forked child it does nothing, because the watch
        /// belongs to the parent.
        func cancel() { if generation.isCurrent { watch.remove(id) } }
    }

    private struct Watched {
        let descriptor: Int32
        let look: Look
        let gate = Gate()
    }

    /// A lock that is held during a call.
    private final class Gate: Sendable {
        let lock = Mutex(())
        /// The `fh_thread_id()` of the thread that holds the lock.
        let holder = Atomic<UInt>(0)

        func pass(_ body: () -> Bool) -> Bool {
            lock.withLock { _ in
                holder.store(UInt(fh_thread_id()), ordering: .relaxed)
                defer { holder.store(0, ordering: .relaxed) }
                return body()
            }
        }

        /// Waits for a call that is in progress on another thread.
        func wait() { if holder.load(ordering: .relaxed) != UInt(fh_thread_id()) { lock.withLock { _ in } } }
    }

    private struct State {
        var waiter: Waiter?
        var files: [Int: Watched] = [:]
        var nextID = 0
    }

    /// The longest time before the next check, in milliseconds. If a process is killed after it has written its commit and before it has published it
    /// to readers, only the next commit makes the version visible.
    private static let longestPause: Int32 = 256

    /// A Boolean value that indicates, in tests, whether the user's processes have used all instances of inotify.
    static let lacksInstances = Atomic(false)

    private let state = Mutex(State())
    /// The waiter, for a forked child, in which `state` may be locked permanently. It is never released while it runs.
    private let running = Atomic<Unmanaged<Waiter>?>(nil)

    func add(_ path: String, _ look: @escaping Look) throws(EngineError) -> Registration {
        try state.withLock { state throws(EngineError) in
            let waiter: Waiter
            if let running = state.waiter {
                waiter = running
            } else {
                waiter = try Waiter(path, self)
                state.waiter = waiter
                running.store(.passRetained(waiter), ordering: .releasing)
            }
            let descriptor: Int32
            do throws(EngineError) {
                descriptor = try waiter.add(path)
            } catch {
                stopIfUnused(&state)
                throw error
            }
            state.nextID += 1
            state.files[state.nextID] = Watched(descriptor: descriptor, look: look)
            return Registration(state.nextID, self)
        }
    }

    private func remove(_ id: Int) {
        drop(id)?.wait()
    }

    private func drop(_ id: Int) -> Gate? {
        state.withLock { state in
            guard let gone = state.files.removeValue(forKey: id), let waiter = state.waiter else { return nil }
            // Two registrations of one file share the descriptor.
            if !state.files.values.contains(where: { $0.descriptor == gone.descriptor }) {
                waiter.remove(gone.descriptor)
            }
            stopIfUnused(&state)
            return gone.gate
        }
    }

    private func stopIfUnused(_ state: inout State) {
        guard state.files.isEmpty, let waiter = state.waiter else { return }
        // The waiter is cleared before descriptors are closed, because a forked child closes the descriptors of the waiter that it finds here.
        running.exchange(nil, ordering: .acquiringAndReleasing)?.release()
        waiter.stop()
        state.waiter = nil
    }

    /// Calls the closures of files.
    /// - Parameter descriptors: the descriptors of the files, or `nil` for all files.
    /// - Returns: whether all changes have been seen.
    fileprivate func look(_ descriptors: Set<Int32>?) -> Bool {
        let due = state.withLock { state in
            state.files.filter { descriptors?.contains($0.value.descriptor) ?? true }
        }
        return due.reduce(true) { all, one in
            one.value.gate.pass {
                let isThere = state.withLock { $0.files[one.key] != nil }
                return isThere ? one.value.look() : true
            } && all
        }
    }
}

#if os(Linux)
    extension FileWatch {
        /// The thread and the descriptors on which it sleeps.
        fileprivate final class Waiter: Sendable {
            /// The descriptor of the inotify instance, or -1 without an instance.
            private let events: Int32
            /// A pipe into which a byte is written to end the thread.
            private let ending: Int32
            private let end: Int32
            private let watch: FileWatch

            init(_ path: String, _ watch: FileWatch) throws(EngineError) {
                self.watch = watch
                events = try Self.instance(path)
                var ends: [Int32] = [-1, -1]
                let code = fh_pipe(&ends)
                guard code == 0 else {
                    if events >= 0 { close(events) }
                    throw Self.error(code, path)
                }
                (ending, end) = (ends[0], ends[1])
                pthread_detach(EngineThread.start { [self] in run() })
            }

            private static func error(_ code: Int32, _ path: String) -> EngineError {
                .system(code, "The file can't be watched for commits of other processes.", path: path)
            }

            /// Returns -1 if all instances are in use.
            private static func instance(_ path: String) throws(EngineError) -> Int32 {
                // The threads of watches that have just ended release their instances shortly afterwards.
                for pause in [0, 1, 2, 4, 8] as [UInt32] {
                    if pause > 0 { usleep(pause * 1000) }
                    if FileWatch.lacksInstances.load(ordering: .relaxed) { continue }
                    let made = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
                    if made >= 0 { return made }
                    guard errno == EMFILE else { throw error(errno, path) }
                }
                return -1
            }

            func add(_ path: String) throws(EngineError) -> Int32 {
                if events < 0 { return -1 }
                let descriptor = inotify_add_watch(events, path, UInt32(IN_MODIFY))
                guard descriptor >= 0 else { throw Self.error(errno, path) }
                return descriptor
            }

            func remove(_ descriptor: Int32) { if events >= 0 { inotify_rm_watch(events, descriptor) } }

            /// Ends the thread, which closes its descriptors.
            func stop() {
                _ = write(end, "x", 1)
                close(end)
            }

            /// Closes the descriptors in a forked child, where the thread doesn't exist.
            func closeInherited() {
                for descriptor in [events, ending, end] where descriptor >= 0 { close(descriptor) }
            }

            private func run() {
                var pause: Int32 = -1
                var due: Set<Int32>? = []
                let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 8)
                defer {
                    buffer.deallocate()
                    if events >= 0 { close(events) }
                    close(ending)
                }
                while true {
                    if events < 0, pause < 0 {
                        // Without an instance, writes aren't reported.
                        (pause, due) = (FileWatch.longestPause, nil)
                    }
                    // `poll` ignores a negative descriptor.
                    var polled = [
                        pollfd(fd: events, events: Int16(POLLIN), revents: 0),
                        pollfd(fd: ending, events: Int16(POLLIN), revents: 0),
                    ]
                    let n = poll(&polled, 2, pause)
                    if n < 0, errno != EINTR { return }
                    if polled[1].revents != 0 { return }
                    if polled[0].revents != 0 {
                        let seen = drain(buffer)
                        due = seen.flatMap { seen in due.map { $0.union(seen) } }
                        pause = 0
                    }
                    if watch.look(due) || pause >= FileWatch.longestPause {
                        pause = -1
                        due = []
                    } else {
                        pause = max(1, pause * 2)
                    }
                }
            }

            /// Returns the files that were written, or `nil` if events were lost.
            private func drain(_ buffer: UnsafeMutableRawBufferPointer) -> Set<Int32>? {
                var found: Set<Int32>? = []
                while true {
                    let length = read(events, buffer.baseAddress!, buffer.count)
                    if length <= 0 { return found }
                    var at = 0
                    while at < length {
                        let event = (buffer.baseAddress! + at).loadUnaligned(as: inotify_event.self)
                        if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { found = nil } else { found?.insert(event.wd) }
                        at += MemoryLayout<inotify_event>.size + Int(event.len)
                    }
                }
            }
        }
    }
#elseif canImport(Darwin)
    extension FileWatch {
        /// The thread and the kernel's queue on which it sleeps. Each file has a descriptor.
        fileprivate final class Waiter: Sendable {
            /// The event that ends the thread.
            private static let ending: UInt = 0

            private let queue: Int32
            private let watch: FileWatch

            init(_ path: String, _ watch: FileWatch) throws(EngineError) {
                self.watch = watch
                queue = kqueue()
                guard queue >= 0 else { throw Self.error(errno, path) }
                _ = fcntl(queue, F_SETFD, FD_CLOEXEC)
                let code = change(Self.ending, filter: EVFILT_USER, action: EV_ADD | EV_CLEAR, flags: 0)
                guard code == 0 else {
                    Platform.close(queue)
                    throw Self.error(code, path)
                }
                pthread_detach(EngineThread.start { [self] in run() })
            }

            private static func error(_ code: Int32, _ path: String) -> EngineError {
                .system(code, "The file can't be watched for commits of other processes.", path: path)
            }

            /// - Returns: 0 or an error number.
            private func change(_ identifier: UInt, filter: Int32, action: Int32, flags: Int32) -> Int32 {
                var change = kevent(
                    ident: identifier,
                    filter: Int16(filter),
                    flags: UInt16(action),
                    fflags: UInt32(bitPattern: flags),
                    data: 0,
                    udata: nil
                )
                return kevent(queue, &change, 1, nil, 0, nil) == 0 ? 0 : errno
            }

            func add(_ path: String) throws(EngineError) -> Int32 {
                let descriptor = Platform.open(path, O_EVTONLY | O_CLOEXEC)
                guard descriptor >= 0 else { throw Self.error(errno, path) }
                let code = change(
                    UInt(descriptor),
                    filter: EVFILT_VNODE,
                    action: EV_ADD | EV_CLEAR,
                    flags: NOTE_WRITE | NOTE_EXTEND
                )
                guard code == 0 else {
                    Platform.close(descriptor)
                    throw Self.error(code, path)
                }
                return descriptor
            }

            /// Closes the descriptor, which also removes its event.
            func remove(_ descriptor: Int32) { Platform.close(descriptor) }

            /// Ends the thread, which closes its queue.
            func stop() { _ = change(Self.ending, filter: EVFILT_USER, action: 0, flags: NOTE_TRIGGER) }

            /// Does nothing, because a forked child doesn't inherit the queue.
            func closeInherited() {}

            private func run() {
                var pause: Int32 = -1
                var due: Set<Int32> = []
                var events = Array(repeating: kevent(), count: 32)
                defer { Platform.close(queue) }
                while true {
                    let time = timespec(tv_sec: 0, tv_nsec: Int(max(0, pause)) * 1_000_000)
                    let count = withUnsafePointer(to: time) { time in
                        kevent(queue, nil, 0, &events, Int32(events.count), pause < 0 ? nil : time)
                    }
                    if count < 0, errno != EINTR { return }
                    for event in events.prefix(Int(max(0, count))) {
                        if event.filter == Int16(EVFILT_USER) { return }
                        due.insert(Int32(truncatingIfNeeded: event.ident))
                    }
                    if count > 0 { pause = 0 }
                    if watch.look(due) || pause >= FileWatch.longestPause {
                        pause = -1
                        due = []
                    } else {
                        pause = max(1, pause * 2)
                    }
                }
            }
        }
    }
#else
    extension FileWatch {
        fileprivate final class Waiter: Sendable {
            init(_ path: String, _ watch: FileWatch) throws(EngineError) {}
            func add(_ path: String) throws(EngineError) -> Int32 { 0 }
            func remove(_ descriptor: Int32) {}
            func stop() {}
            func closeInherited() {}
        }
    }
#endif
