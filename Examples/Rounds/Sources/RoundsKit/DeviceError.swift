/// An error with a sentence for the user.
public enum DeviceError: Error, Equatable, CustomStringConvertible {
    case badAddress(String)
    case loggedOut
    case refusedLogIn(String)
    case offline(String)
    case refusedSync(String)
    case notFollowed(String)
    case missing(String)

    public var description: String {
        switch self {
        case .badAddress(let address): "\(address) isn't the address of a server, such as https://sync.example.org."
        case .loggedOut:
            "Log in first: rounds login EMAIL --server ADDRESS. Work that isn't uploaded stays on the device."
        case .refusedLogIn(let reason): "The log-in failed: \(reason)"
        case .offline(let reason): "The work stays on the device until the next sync. \(reason)"
        case .refusedSync(let reason): "The server refuses this device: \(reason)"
        case .notFollowed(let district): "Follow the district first: rounds follow \(district)"
        case .missing(let name): "There is no \(name) on this device."
        }
    }
}
