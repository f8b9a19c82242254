import CFreeholdZlib

/// A zlib stream that compresses messages one after the other.
final class Deflater: @unchecked Sendable {
    // One thread at a time uses it. It has a fixed address, because zlib stores pointers to the stream.
    private let stream: UnsafeMutablePointer<z_stream>

    /// - Parameter isGzip: A Boolean value that indicates whether it writes the format gzip (RFC 1952) in place of zlib's.
    init?(level: Int32, isGzip: Bool = false) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let size = Int32(MemoryLayout<z_stream>.size)
        let state = deflateInit2_(
            stream,
            level,
            Z_DEFLATED,
            MAX_WBITS + (isGzip ? 16 : 0),
            8,
            Z_DEFAULT_STRATEGY,
            ZLIB_VERSION,
            size
        )
        guard state == Z_OK else {
            stream.deallocate()
            return nil
        }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Returns the compressed bytes, or `nil` if they aren't shorter than the input.
    func compressed(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count > 1, let count = uInt(exactly: bytes.count), deflateReset(stream) == Z_OK else { return nil }
        var isWhole = false
        let result = [UInt8](unsafeUninitializedCapacity: bytes.count - 1) { output, length in
            bytes.withUnsafeBufferPointer { input in
                // zlib doesn't write to the input.
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

/// A zlib stream that decompresses messages one after the other.
final class Inflater: @unchecked Sendable {
    // It is sendable for the same reasons as `Deflater`.
    private let stream: UnsafeMutablePointer<z_stream>

    /// - Parameter isGzip: A Boolean value that indicates whether it reads the format gzip (RFC 1952) in place of zlib's.
    init?(isGzip: Bool = false) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        guard
            inflateInit2_(stream, MAX_WBITS + (isGzip ? 16 : 0), ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
                == Z_OK
        else {
            stream.deallocate()
            return nil
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Returns the decompressed bytes, or `nil` if the input isn't one complete stream with at most `count` bytes of
    /// content.
    func inflated(_ bytes: UnsafeRawBufferPointer, count: Int) -> [UInt8]? {
        guard count >= 0, count < Int.max, let room = uInt(exactly: count + 1), let length = uInt(exactly: bytes.count),
            let start = bytes.baseAddress, inflateReset(stream) == Z_OK
        else { return nil }
        var isWhole = false
        // One byte more than the maximum, so that a longer stream is detected.
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
