import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Where the tests begin on Linux. Without this file the build would look for test cases of XCTest, of which there are none,
/// and needs an index for that, which costs an eighth of its time.
@main enum Entry {
    static func main() async {
        let arguments = CommandLine.arguments
        if let index = arguments.firstIndex(of: "--testing-library"), arguments.dropFirst(index + 1).first == "xctest" {
            exit(0)
        }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
