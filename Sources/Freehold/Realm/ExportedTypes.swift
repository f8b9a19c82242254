// The value types of models, the geographic shapes of queries and the descriptions of queries belong to the engine. No
// other part of the engine is visible to modules that import Freehold.
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
