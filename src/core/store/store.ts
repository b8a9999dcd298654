/** Placeholder of the transaction type until the store lands. */
export interface StoreTransaction {
  readonly kind: "transaction";
}
