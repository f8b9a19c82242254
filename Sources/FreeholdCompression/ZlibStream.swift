import CFreeholdZlib

/// A stream of zlib's that makes compressed messages, one after the other.
final class Deflater: @unchecked Sendable {
    // One thread at a time uses it. zlib keeps the stream's address, so it lies where it stays.
    private let stream: UnsafeMutablePointer<z_stream>

    init?(level: Int32) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let size = Int32(MemoryLayout<z_stream>.size)
        let state = deflateInit2_(stream, level, Z_DEFLATED, MAX_WBITS, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
        guard state == Z_OK else {
            stream.deallocate()
            return nil
        }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Nil if the result isn't shorter.
    func compressed(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count > 1, let count = uInt(exactly: bytes.count), deflateReset(stream) == Z_OK else { return nil }
        var isWhole = false
        let result = [UInt8](unsafeUninitializedCapacity: bytes.count - 1) { output, length in
            bytes.withUnsafeBufferPointer { input in
                // zlib reads through it only.
                stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.pointee.avail_in = count
                stream.pointee.next_out = output.baseAddress
                stream.pointee.avail_out = count - 1
                isWhole = deflate(stream, Z_FINISH) == Z_STREAM_END
            }
            length = bytes.count - 1 - Int(stream.pointee.avail_out)
        }
        return isWhole ? result : nil
    }
}

/// A stream of zlib's that reads compressed messages, one after the other.
final class Inflater: @unchecked Sendable {
    // As for `Deflater`.
    private let stream: UnsafeMutablePointer<z_stream>

    init?() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        guard inflateInit2_(stream, MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            stream.deallocate()
            return nil
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Nil if the bytes aren't one whole stream of at most `count` bytes.
    func inflated(_ bytes: UnsafeRawBufferPointer, count: Int) -> [UInt8]? {
        guard count >= 0, count < Int.max, let room = uInt(exactly: count + 1), let length = uInt(exactly: bytes.count),
            let start = bytes.baseAddress, inflateReset(stream) == Z_OK
        else { return nil }
        var isWhole = false
        // One more than there may be: a longer stream is told from one that ends there.
        let result = [UInt8](unsafeUninitializedCapacity: count + 1) { output, made in
            stream.pointee.next_in = UnsafeMutablePointer(
                mutating: start.assumingMemoryBound(to: UInt8.self)
            )
            stream.pointee.avail_in = length
            stream.pointee.next_out = output.baseAddress
            stream.pointee.avail_out = room
            isWhole = inflate(stream, Z_FINISH) == Z_STREAM_END && stream.pointee.avail_in == 0
            made = count + 1 - Int(stream.pointee.avail_out)
        }
        return isWhole && result.count <= count ? result : nil
    }
}
