import io.realm.RealmList;
import io.realm.RealmObject;
import io.realm.RealmResults;
import io.realm.annotations.LinkingObjects;
import io.realm.annotations.RealmClass;
import io.realm.annotations.Required;

@RealmClass(embedded=true)
public class Home extends RealmObject {
    private String street;
    @Required private String type;
    // The index of places isn't declared: only Freehold has such.
    @Required private RealmList<Double> coordinates;
    @LinkingObjects("home") private final RealmResults<Keeper> keeper = null;

    public Home(String street, String type) {
        this.street = street;
        this.type = type;
    }

    public Home() {} // RealmObject subclasses must provide an empty constructor

    public String getStreet() { return street; }
    public void setStreet(String street) { this.street = street; }

    public String getType() { return type; }
    public void setType(String type) { this.type = type; }

    public RealmList<Double> getCoordinates() { return coordinates; }
    public void setCoordinates(RealmList<Double> coordinates) { this.coordinates = coordinates; }

    public RealmResults<Keeper> getKeeper() { return keeper; }
}
