import io.realm.kotlin.ext.backlinks
import io.realm.kotlin.ext.realmDictionaryOf
import io.realm.kotlin.ext.realmListOf
import io.realm.kotlin.ext.realmSetOf
import io.realm.kotlin.query.RealmResults
import io.realm.kotlin.types.AsymmetricRealmObject
import io.realm.kotlin.types.EmbeddedRealmObject
import io.realm.kotlin.types.RealmAny
import io.realm.kotlin.types.RealmDictionary
import io.realm.kotlin.types.RealmInstant
import io.realm.kotlin.types.RealmList
import io.realm.kotlin.types.RealmObject
import io.realm.kotlin.types.RealmSet
import io.realm.kotlin.types.RealmUUID
import io.realm.kotlin.types.annotations.FullText
import io.realm.kotlin.types.annotations.Index
import io.realm.kotlin.types.annotations.PersistedName
import io.realm.kotlin.types.annotations.PrimaryKey
import org.mongodb.kbson.Decimal128
import org.mongodb.kbson.ObjectId

// The unique index of (name, age) isn't declared: only Freehold has such.
class Keeper : RealmObject {
    @PrimaryKey
    var _id: ObjectId = ObjectId()
    @Index
    var name: String = ""
    var email: String? = null
    @FullText
    var bio: String = ""
    var age: Long = 0
    var children: Long? = null
    var height: Float? = null
    var score: Double = 0.0
    var isActive: Boolean = false
    var born: RealmInstant? = null
    var photo: ByteArray = byteArrayOf()
    var balance: Decimal128 = Decimal128("0")
    @Index
    var token: RealmUUID? = null
    var extra: RealmAny? = null
    // Freehold's delete rule 'deny' isn't declared: Realm's SDK for Kotlin has no such.
    var favorite: Hound? = null
    var hounds: RealmList<Hound> = realmListOf()
    var friends: RealmSet<Keeper> = realmSetOf()
    var byName: RealmDictionary<Hound?> = realmDictionaryOf()
    var home: Home? = null
    var offices: RealmList<Home> = realmListOf()
    var tags: RealmList<String> = realmListOf()
    var numbers: RealmSet<Long> = realmSetOf()
    var ratings: RealmDictionary<Double?> = realmDictionaryOf()
    var notes: RealmList<RealmAny?> = realmListOf()
    val friendOf: RealmResults<Keeper> by backlinks(Keeper::friends)
}

class Hound : RealmObject {
    @PrimaryKey
    var _id: Long = 0
    var name: String? = null
    val keepers: RealmResults<Keeper> by backlinks(Keeper::hounds)
    val named: RealmResults<Keeper> by backlinks(Keeper::byName)
}

class Home : EmbeddedRealmObject {
    var street: String? = null
    var type: String = ""
    // The index of places isn't declared: only Freehold has such.
    var coordinates: RealmList<Double> = realmListOf()
    val keeper: Keeper by backlinks(Keeper::home)
}

class Measurement : AsymmetricRealmObject {
    @PrimaryKey
    var _id: RealmUUID = RealmUUID.random()
    var at: RealmInstant = RealmInstant.now()
    var celsius: Double = 0.0
}

@PersistedName(name = "kennel order")
class KennelOrder : RealmObject {
    @PrimaryKey
    var _id: String = ""
    @PersistedName("first_name")
    var firstName: String = ""
    @PersistedName("class")
    var classValue: Long = 0
    var description: String? = null
    @PersistedName("goes-with")
    var goesWith: Hound? = null
    @PersistedName("a \"quoted\" \$name\u000a")
    var aQuotedName: Boolean = false
    var größe: Double = 0.0
}
