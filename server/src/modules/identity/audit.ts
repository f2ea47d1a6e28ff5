/** One line of the append-only log of what changes keys, tenants, travelers or money. */
export interface AuditEntry {
  /** Undefined: the deployment itself. */
  tenantId?: string;
  /** Who: `command`, `svc:<keyId>`, a user id, `job:<name>`. */
  actor: string;
  /** What, for example `key.mint`. */
  action: string;
  subjectId?: string;
  /** Never a secret, a document number or card data. */
  details?: Readonly<Record<string, unknown>>;
}
