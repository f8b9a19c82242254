#import <Foundation/Foundation.h>
#import <Realm/Realm.h>

@class Keeper;
@class Hound;
@class Home;
@class Measurement;
@class KennelOrder;

RLM_COLLECTION_TYPE(Keeper)
RLM_COLLECTION_TYPE(Hound)
RLM_COLLECTION_TYPE(Home)

// The unique index of (name, age) isn't declared: only Freehold has such.
@interface Keeper : RLMObject
@property RLMObjectId *_id;
@property NSString *name;
@property NSString *email;
// The full-text index isn't declared: Realm's SDK for Objective-C has none.
@property NSString *bio;
@property NSInteger age;
@property NSNumber<RLMInt> *children;
@property NSNumber<RLMFloat> *height;
@property double score;
@property BOOL isActive;
@property NSDate *born;
@property NSData *photo;
@property RLMDecimal128 *balance;
@property NSUUID *token;
@property id<RLMValue> extra;
// Freehold's delete rule 'deny' isn't declared: Realm's SDK for Objective-C has no such.
@property Hound *favorite;
@property RLMArray<Hound *><Hound> *hounds;
@property RLMSet<Keeper *><Keeper> *friends;
@property RLMDictionary<NSString *, Hound *><RLMString, Hound> *byName;
@property Home *home;
@property RLMArray<Home *><Home> *offices;
@property RLMArray<NSString *><RLMString> *tags;
@property RLMSet<NSNumber *><RLMInt> *numbers;
@property RLMDictionary<NSString *, NSNumber *><RLMString, RLMDouble> *ratings;
@property RLMArray<id<RLMValue>><RLMValue> *notes;
@property (readonly) RLMLinkingObjects *friendOf;
@end

@interface Hound : RLMObject
@property NSInteger _id;
@property NSString *name;
@property (readonly) RLMLinkingObjects *keepers;
@property (readonly) RLMLinkingObjects *named;
@end

@interface Home : RLMEmbeddedObject
@property NSString *street;
@property NSString *type;
// The index of places isn't declared: only Freehold has such.
@property RLMArray<NSNumber *><RLMDouble> *coordinates;
@property (readonly) RLMLinkingObjects *keeper;
@end

@interface Measurement : RLMAsymmetricObject
@property NSUUID *_id;
@property NSDate *at;
@property double celsius;
@end

@interface KennelOrder : RLMObject
@property NSString *_id;
@property NSString *firstName;
@property NSInteger classValue;
@property NSString *descriptionValue;
@property Hound *goesWith;
@property BOOL aQuotedName;
@property double größe;
@end
