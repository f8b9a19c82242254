#import "Models.h"

@implementation Keeper
+ (NSString *)primaryKey {
    return @"_id";
}
+ (NSArray<NSString *> *)requiredProperties {
    return @[@"_id", @"name", @"bio", @"photo", @"balance", @"tags", @"numbers"];
}
+ (NSArray<NSString *> *)indexedProperties {
    return @[@"name", @"token"];
}
+ (NSDictionary<NSString *, RLMPropertyDescriptor *> *)linkingObjectsProperties {
    return @{
        @"friendOf": [RLMPropertyDescriptor descriptorWithClass:Keeper.class propertyName:@"friends"],
    };
}
@end

@implementation Hound
+ (NSString *)primaryKey {
    return @"_id";
}
+ (NSDictionary<NSString *, RLMPropertyDescriptor *> *)linkingObjectsProperties {
    return @{
        @"keepers": [RLMPropertyDescriptor descriptorWithClass:Keeper.class propertyName:@"hounds"],
        @"named": [RLMPropertyDescriptor descriptorWithClass:Keeper.class propertyName:@"byName"],
    };
}
@end

@implementation Home
+ (NSArray<NSString *> *)requiredProperties {
    return @[@"type", @"coordinates"];
}
+ (NSDictionary<NSString *, RLMPropertyDescriptor *> *)linkingObjectsProperties {
    return @{
        @"keeper": [RLMPropertyDescriptor descriptorWithClass:Keeper.class propertyName:@"home"],
    };
}
@end

@implementation Measurement
+ (NSString *)primaryKey {
    return @"_id";
}
+ (NSArray<NSString *> *)requiredProperties {
    return @[@"_id", @"at"];
}
@end

@implementation KennelOrder
+ (NSString *)_realmObjectName {
    return @"kennel order";
}
+ (NSString *)primaryKey {
    return @"_id";
}
+ (NSArray<NSString *> *)requiredProperties {
    return @[@"_id", @"firstName"];
}
+ (NSDictionary<NSString *, NSString *> *)_realmColumnNames {
    return @{
        @"firstName": @"first_name",
        @"classValue": @"class",
        @"descriptionValue": @"description",
        @"goesWith": @"goes-with",
        @"aQuotedName": @"a \"quoted\" $name\012",
    };
}
@end
