#if os(Linux)
    import Foundation

    /// Swift hides `fork`, but servers and libraries in C call it.
    private func forkProcess() -> pid_t {
        typealias Fork = @convention(c) () -> pid_t
        return unsafeBitCast(dlsym(nil, "fork"), to: Fork.self)()
    }

    /// The failed checks of a forked child, one bit each. 0 is none, and 255 a child that was ended by a signal or hung
    /// for a minute.
    public func inChild(_ body: () -> Int32) -> Int32 {
        let child = forkProcess()
        if child == 0 {
            // Dispatch's threads block signals.
            var alarms = sigset_t()
            sigemptyset(&alarms)
            sigaddset(&alarms, SIGALRM)
            pthread_sigmask(SIG_UNBLOCK, &alarms, nil)
            alarm(60)
            _exit(body())
        }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        if status & 0x7f != 0 { print("The forked child was ended by signal \(status & 0x7f).") }
        return status & 0x7f == 0 ? (status >> 8) & 0xff : 255
    }
#endif
