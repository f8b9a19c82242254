// The value types of models, the shapes of queries and what queries say of themselves are the engine's; nothing else of
// the engine is seen by those who import Freehold.
@_exported public import protocol FreeholdEngine._GeoShape
@_exported public import struct FreeholdEngine.Decimal128
@_exported public import struct FreeholdEngine.Distance
@_exported public import struct FreeholdEngine.GeoBox
@_exported public import struct FreeholdEngine.GeoCircle
@_exported public import typealias FreeholdEngine.GeoDistance
@_exported public import struct FreeholdEngine.GeoPoint
@_exported public import struct FreeholdEngine.GeoPolygon
@_exported public import enum FreeholdEngine.DeleteRule
@_exported public import enum FreeholdEngine.GeoShape
@_exported public import struct FreeholdEngine.ObjectId
@_exported public import struct FreeholdEngine.QueryError
@_exported public import struct FreeholdEngine.QueryPlan
@_exported public import struct FreeholdEngine.SchemaStep
