import BenchModels
import Freehold

extension ObjectSubject {
    private var owners: Results<Owner> { realm.objects(Owner.self) }
    private var dogs: Results<Dog> { realm.objects(Dog.self) }

    func insertKennel() {
        write {
            for number in 0..<data.dogCount {
                let dog = Dog()
                dog.id = number
                dog.age = Int(data.dogAges[number])
                realm.add(dog)
            }
        }
        insert(data.allIDs[...], perTransaction: .max / 2)
    }

    func setDogs() {
        write {
            let dogs = Array(dogs)
            for owner in owners { owner.dog = dogs[data.dogOf[owner.id]] }
        }
    }

    func walkDogAges() -> Int64 {
        var sum = 0
        for owner in owners { sum += owner.dog?.age ?? 0 }
        return Int64(sum)
    }

    func countAcrossLink() -> Int64 { Int64(owners.where { $0.dog.age > 5 }.count) }

    func countBacklinks() -> Int64 {
        var sum = 0
        for dog in dogs {
            let count = dog.owners.count
            sum += count * count
        }
        return Int64(sum)
    }

    func appendNumbers() {
        write {
            for (number, owner) in owners.enumerated() {
                let numbers = owner.numbers
                for position in 0..<3 { numbers.append((number * 3 + position) % 1000) }
            }
        }
    }

    func readNumbers() -> Int64 {
        var sum = 0
        for owner in owners {
            let numbers = owner.numbers
            for position in 0..<3 { sum += numbers[position] }
        }
        return Int64(sum)
    }

    func appendDogs() {
        write {
            let dogs = Array(dogs)
            for (number, owner) in owners.enumerated() {
                let list = owner.dogs
                for position in 0..<3 { list.append(dogs[data.listDogs[number * 3 + position]]) }
            }
        }
    }

    func readDogs() -> Int64 {
        var sum = 0
        for owner in owners {
            let list = owner.dogs
            for position in 0..<3 { sum += list[position].age }
        }
        return Int64(sum)
    }
}
