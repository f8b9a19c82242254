import io.realm.RealmObject;
import io.realm.RealmResults;
import io.realm.annotations.LinkingObjects;
import io.realm.annotations.PrimaryKey;

public class Hound extends RealmObject {
    @PrimaryKey private long _id;
    private String name;
    @LinkingObjects("hounds") private final RealmResults<Keeper> keepers = null;
    // 'named' is left out. Realm's SDK for Java has no inverses of dictionaries.

    public Hound(long _id, String name) {
        this._id = _id;
        this.name = name;
    }

    public Hound() {} // RealmObject subclasses must provide an empty constructor

    public long get_id() { return _id; }
    public void set_id(long _id) { this._id = _id; }

    public String getName() { return name; }
    public void setName(String name) { this.name = name; }

    public RealmResults<Keeper> getKeepers() { return keepers; }
}
