import java.util.Date;
import java.util.UUID;
import io.realm.RealmAny;
import io.realm.RealmDictionary;
import io.realm.RealmList;
import io.realm.RealmObject;
import io.realm.RealmSet;
import io.realm.annotations.Index;
import io.realm.annotations.PrimaryKey;
import io.realm.annotations.Required;
import org.bson.types.Decimal128;
import org.bson.types.ObjectId;

// The unique index of (name, age) isn't declared: only Freehold has such.
public class Keeper extends RealmObject {
    @PrimaryKey @Required private ObjectId _id;
    @Index @Required private String name;
    private String email;
    // The full-text index isn't declared: Realm's SDK for Java has none.
    @Required private String bio;
    private long age;
    private Long children;
    private Float height;
    private double score;
    private boolean isActive;
    private Date born;
    @Required private byte[] photo;
    @Required private Decimal128 balance;
    @Index private UUID token;
    private RealmAny extra;
    // Freehold's delete rule 'deny' isn't declared: Realm's SDK for Java has no such.
    private Hound favorite;
    private RealmList<Hound> hounds;
    private RealmSet<Keeper> friends;
    private RealmDictionary<Hound> byName;
    private Home home;
    private RealmList<Home> offices;
    @Required private RealmList<String> tags;
    @Required private RealmSet<Long> numbers;
    private RealmDictionary<Double> ratings;
    private RealmList<RealmAny> notes;
    // 'friendOf' is left out. Realm's SDK for Java has no inverses of sets.

    public Keeper(ObjectId _id, String name, String email, String bio, long age, Long children, Float height, double score, boolean isActive, Date born, byte[] photo, Decimal128 balance, UUID token, RealmAny extra, Hound favorite, Home home) {
        this._id = _id;
        this.name = name;
        this.email = email;
        this.bio = bio;
        this.age = age;
        this.children = children;
        this.height = height;
        this.score = score;
        this.isActive = isActive;
        this.born = born;
        this.photo = photo;
        this.balance = balance;
        this.token = token;
        this.extra = extra;
        this.favorite = favorite;
        this.home = home;
    }

    public Keeper() {} // RealmObject subclasses must provide an empty constructor

    public ObjectId get_id() { return _id; }
    public void set_id(ObjectId _id) { this._id = _id; }

    public String getName() { return name; }
    public void setName(String name) { this.name = name; }

    public String getEmail() { return email; }
    public void setEmail(String email) { this.email = email; }

    public String getBio() { return bio; }
    public void setBio(String bio) { this.bio = bio; }

    public long getAge() { return age; }
    public void setAge(long age) { this.age = age; }

    public Long getChildren() { return children; }
    public void setChildren(Long children) { this.children = children; }

    public Float getHeight() { return height; }
    public void setHeight(Float height) { this.height = height; }

    public double getScore() { return score; }
    public void setScore(double score) { this.score = score; }

    public boolean isActive() { return isActive; }
    public void setActive(boolean isActive) { this.isActive = isActive; }

    public Date getBorn() { return born; }
    public void setBorn(Date born) { this.born = born; }

    public byte[] getPhoto() { return photo; }
    public void setPhoto(byte[] photo) { this.photo = photo; }

    public Decimal128 getBalance() { return balance; }
    public void setBalance(Decimal128 balance) { this.balance = balance; }

    public UUID getToken() { return token; }
    public void setToken(UUID token) { this.token = token; }

    public RealmAny getExtra() { return extra; }
    public void setExtra(RealmAny extra) { this.extra = extra; }

    public Hound getFavorite() { return favorite; }
    public void setFavorite(Hound favorite) { this.favorite = favorite; }

    public RealmList<Hound> getHounds() { return hounds; }
    public void setHounds(RealmList<Hound> hounds) { this.hounds = hounds; }

    public RealmSet<Keeper> getFriends() { return friends; }
    public void setFriends(RealmSet<Keeper> friends) { this.friends = friends; }

    public RealmDictionary<Hound> getByName() { return byName; }
    public void setByName(RealmDictionary<Hound> byName) { this.byName = byName; }

    public Home getHome() { return home; }
    public void setHome(Home home) { this.home = home; }

    public RealmList<Home> getOffices() { return offices; }
    public void setOffices(RealmList<Home> offices) { this.offices = offices; }

    public RealmList<String> getTags() { return tags; }
    public void setTags(RealmList<String> tags) { this.tags = tags; }

    public RealmSet<Long> getNumbers() { return numbers; }
    public void setNumbers(RealmSet<Long> numbers) { this.numbers = numbers; }

    public RealmDictionary<Double> getRatings() { return ratings; }
    public void setRatings(RealmDictionary<Double> ratings) { this.ratings = ratings; }

    public RealmList<RealmAny> getNotes() { return notes; }
    public void setNotes(RealmList<RealmAny> notes) { this.notes = notes; }
}
