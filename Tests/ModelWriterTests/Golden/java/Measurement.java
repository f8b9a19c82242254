// The class 'Measurement' is left out. It is asymmetric, which Realm's SDK for Java doesn't support.
