import BenchModels
import Freehold

/// The cost of single accesses to managed objects; no rival has such a thing.
extension Workloads {
    static func accessors() -> [Workload] {
        let rounds = 1000
        let kept = 1000
        func workload(
            _ name: String,
            _ operations: Int,
            nanoseconds: Double,
            run: @escaping (ObjectSubject) -> Int64
        ) -> Workload {
            Workload(
                name: name,
                operations: operations,
                layers: [.objects],
                goals: [.objects(nanoseconds: nanoseconds)],
                prepare: { $0.close($1) },
                run: { subject in
                    let figure = run(subject as! ObjectSubject)
                    return { figure }
                }
            )
        }
        return [
            workload("managed `@Persisted` get of an Int, model in another module", rounds * kept, nanoseconds: 10) {
                subject in
                subject.withWide(kept) { objects in
                    // An array's iterator retains and releases each object: two atomic operations, twice the getter's time.
                    let held = objects.map(Unmanaged.passUnretained)
                    return withExtendedLifetime(objects) {
                        var sum = 0
                        for _ in 0..<rounds {
                            for object in held {
                                sum &+= object._withUnsafeGuaranteedRef { $0.second }
                            }
                        }
                        return Int64(sum)
                    }
                }
            },
            workload("managed `@Persisted` set of an Int, model in another module", rounds * kept, nanoseconds: 60) {
                subject in
                subject.withWide(kept) { objects in
                    try! objects[0].realm!.write {
                        for round in 0..<rounds { for object in objects { object.second = round } }
                    }
                    return 0
                }
            },
            workload("make and free a managed accessor of 8 properties", rounds * kept, nanoseconds: 200) { subject in
                subject.withWide(kept) { objects in
                    let results = objects[0].realm!.objects(Wide.self)
                    for _ in 0..<rounds {
                        for i in 0..<kept { withExtendedLifetime(results[i]) {} }
                    }
                    return 0
                }
            },
        ]
    }
}
