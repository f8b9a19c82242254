import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The entry point of the tests on Linux. Without this file the build would search for test cases of XCTest, of which
/// there are none. The search needs an index, which takes an eighth of the build time.
@main enum Entry {
    static func main() async {
        let arguments = CommandLine.arguments
        if let index = arguments.firstIndex(of: "--testing-library"), arguments.dropFirst(index + 1).first == "xctest" {
            exit(0)
        }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
