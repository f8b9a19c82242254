import Foundation
import Testing

@testable import FreeholdEngine

struct GeoCoveringTests {
    private func number(_ p: GeoPoint) throws -> Int64 {
        try require(GeoCell.number(latitude: p.latitude, longitude: p.longitude))
    }

    @Test func `a place's number lies in its square and in that square's bound, on every level`() throws {
        var random = RandomShapes(seed: 61)
        for _ in 0..<100 {
            let p = random.point()
            let number = try number(p)
            var cell = GeoCell(face: Int(number >> 60))
            for level in 0...GeoCell.levels {
                expect(cell.level == level && cell.numbers.contains(number))
                let bound = cell.bound
                expect(bound.center.angle(to: SphereVector(p)) <= bound.radius, "\(p), level \(level)")
                guard level < GeoCell.levels else { break }
                let quarters = cell.quarters
                expectEqual(quarters.map(\.numbers.lowerBound).min(), cell.numbers.lowerBound)
                expectEqual(quarters.map(\.numbers.upperBound).max(), cell.numbers.upperBound)
                cell = try require(quarters.first { $0.numbers.contains(number) })
            }
            expectEqual(cell.numbers, number...number)
        }
    }

    @Test(arguments: [(90.0, 0.0), (-90, 0), (0, 180), (35, 45), (0, 45)])
    func `a place with several names has one number`(_ c: (latitude: Double, longitude: Double)) throws {
        let twin = abs(c.latitude) == 90 ? 77 : c.longitude == 180 ? -180 : c.longitude
        expectEqual(
            GeoCell.number(latitude: c.latitude, longitude: c.longitude),
            GeoCell.number(latitude: c.latitude, longitude: twin)
        )
    }

    /// The encoding is stored: these numbers never change.
    @Test(
        arguments: [
            (0.0, 0.0, 864691128455135232), (90.0, 0.0, 3170534137668829184), (-90.0, 0.0, 6629298651489370112),
            (48.8567, 2.3508, 3360564603907583464), (-33.8688, 151.2093, 4193198522809103293),
        ] as [(Double, Double, Int64)]
    )
    func `the numbers of known places are right`(_ c: (latitude: Double, longitude: Double, number: Int64)) {
        expectEqual(GeoCell.number(latitude: c.latitude, longitude: c.longitude), c.number)
    }

    @Test(arguments: [71, 72, 73] as [UInt64])
    func `a covering contains every place of the shape, and few others`(seed: UInt64) throws {
        var random = RandomShapes(seed: seed)
        let numbered = try WorldPlaces.all.prefix(8000).map { ($0, try number($0)) }
        for round in 0..<12 {
            let shape: GeoShape =
                switch round % 3 {
                case 0: .circle(random.circle())
                case 1: .box(random.box())
                default: .polygon(random.polygon().polygon)
                }
            let region = try require(GeoRegion(shape))
            let ranges = region.covering()
            expect(ranges.count <= 70)
            for (a, b) in zip(ranges, ranges.dropFirst()) { expect(a.upperBound + 1 < b.lowerBound) }
            var inside = 0
            var near = 0
            for (p, number) in numbered {
                let isNear = ranges.contains { $0.contains(number) }
                near += isNear ? 1 : 0
                if region.contains(latitude: p.latitude, longitude: p.longitude) {
                    inside += 1
                    expect(isNear, "seed \(seed): \(shape) \(p)")
                }
            }
            if inside > 200 { expect(near < inside * 3, "seed \(seed): \(shape) \(near) for \(inside)") }
            // Around the shape itself, where no city may be.
            for _ in 0..<50 {
                let p = random.point()
                guard region.contains(latitude: p.latitude, longitude: p.longitude) else { continue }
                let number = try number(p)
                expect(ranges.contains { $0.contains(number) }, "seed \(seed): \(shape) \(p)")
            }
        }
    }

    @Test func `the whole earth is one range, and a place a few small squares`() throws {
        let earth = try require(GeoCircle(center: (1, 2), radiusInRadians: 4))
        let all = try require(GeoRegion(.circle(earth)))
        expectEqual(all.covering(), [0...(6 << 60 - 1)])
        let point = try require(GeoCircle(center: (1, 2), radiusInRadians: 0))
        let place = try require(GeoRegion(.circle(point)))
        let numbers = place.covering()
        expect(numbers.contains { $0.contains(GeoCell.number(latitude: 1, longitude: 2)!) })
        expect(numbers.reduce(0) { $0 + $1.count } < 64)
    }
}
