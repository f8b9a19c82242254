import io.realm.RealmAny
import io.realm.RealmDictionary
import io.realm.RealmList
import io.realm.RealmObject
import io.realm.RealmResults
import io.realm.RealmSet
import io.realm.annotations.Index
import io.realm.annotations.LinkingObjects
import io.realm.annotations.PrimaryKey
import io.realm.annotations.RealmClass
import io.realm.annotations.RealmField
import io.realm.annotations.Required
import java.util.Date
import java.util.UUID
import org.bson.types.Decimal128
import org.bson.types.ObjectId

// The unique index of (name, age) isn't declared: only Freehold has such.
open class Keeper : RealmObject() {
    @PrimaryKey var _id: ObjectId = ObjectId()
    @Index var name: String = ""
    var email: String? = null
    // The full-text index isn't declared: Realm's SDK for Java has none.
    var bio: String = ""
    var age: Long = 0
    var children: Long? = null
    var height: Float? = null
    var score: Double = 0.0
    var isActive: Boolean = false
    var born: Date? = null
    var photo: ByteArray = ByteArray(0)
    var balance: Decimal128 = Decimal128.POSITIVE_ZERO
    @Index var token: UUID? = null
    var extra: RealmAny? = null
    // Freehold's delete rule 'deny' isn't declared: Realm's SDK for Java has no such.
    var favorite: Hound? = null
    var hounds: RealmList<Hound> = RealmList()
    var friends: RealmSet<Keeper> = RealmSet()
    var byName: RealmDictionary<Hound?> = RealmDictionary()
    var home: Home? = null
    var offices: RealmList<Home> = RealmList()
    @Required var tags: RealmList<String> = RealmList()
    @Required var numbers: RealmSet<Long> = RealmSet()
    var ratings: RealmDictionary<Double?> = RealmDictionary()
    var notes: RealmList<RealmAny?> = RealmList()
    // 'friendOf' is left out. Realm's SDK for Java has no inverses of sets.
}

open class Hound : RealmObject() {
    @PrimaryKey var _id: Long = 0
    var name: String? = null
    @LinkingObjects("hounds") val keepers: RealmResults<Keeper>? = null
    // 'named' is left out. Realm's SDK for Java has no inverses of dictionaries.
}

@RealmClass(embedded = true)
open class Home : RealmObject() {
    var street: String? = null
    var type: String = ""
    // The index of places isn't declared: only Freehold has such.
    @Required var coordinates: RealmList<Double> = RealmList()
    @LinkingObjects("home") val keeper: RealmResults<Keeper>? = null
}

// The class 'Measurement' is left out. It is asymmetric, which Realm's SDK for Java doesn't support.

@RealmClass(name = "kennel order")
open class KennelOrder : RealmObject() {
    @PrimaryKey var _id: String = ""
    @RealmField("first_name") var firstName: String = ""
    @RealmField("class") var classValue: Long = 0
    var description: String? = null
    @RealmField("goes-with") var goesWith: Hound? = null
    @RealmField("a \"quoted\" \$name\u000a") var aQuotedName: Boolean = false
    var größe: Double = 0.0
}
