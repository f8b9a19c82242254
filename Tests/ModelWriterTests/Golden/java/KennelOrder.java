import io.realm.RealmObject;
import io.realm.annotations.PrimaryKey;
import io.realm.annotations.RealmClass;
import io.realm.annotations.RealmField;
import io.realm.annotations.Required;

@RealmClass(name = "kennel order")
public class KennelOrder extends RealmObject {
    @PrimaryKey @Required private String _id;
    @Required @RealmField("first_name") private String firstName;
    @RealmField("class") private long classValue;
    private String description;
    @RealmField("goes-with") private Hound goesWith;
    @RealmField("a \"quoted\" $name\012") private boolean aQuotedName;
    private double größe;

    public KennelOrder(String _id, String firstName, long classValue, String description, Hound goesWith, boolean aQuotedName, double größe) {
        this._id = _id;
        this.firstName = firstName;
        this.classValue = classValue;
        this.description = description;
        this.goesWith = goesWith;
        this.aQuotedName = aQuotedName;
        this.größe = größe;
    }

    public KennelOrder() {} // RealmObject subclasses must provide an empty constructor

    public String get_id() { return _id; }
    public void set_id(String _id) { this._id = _id; }

    public String getFirstName() { return firstName; }
    public void setFirstName(String firstName) { this.firstName = firstName; }

    public long getClassValue() { return classValue; }
    public void setClassValue(long classValue) { this.classValue = classValue; }

    public String getDescription() { return description; }
    public void setDescription(String description) { this.description = description; }

    public Hound getGoesWith() { return goesWith; }
    public void setGoesWith(Hound goesWith) { this.goesWith = goesWith; }

    public boolean isAQuotedName() { return aQuotedName; }
    public void setAQuotedName(boolean aQuotedName) { this.aQuotedName = aQuotedName; }

    public double getGröße() { return größe; }
    public void setGröße(double größe) { this.größe = größe; }
}
