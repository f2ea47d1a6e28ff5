declare module "../../kernel/contracts/tool.ts" {
  interface ModulePorts {
    "escrow.claimLinks": ClaimLinks;
  }
}

/** Where guest links may lead. */
export interface ClaimLinks {
  /** The application host's own, such as `https://app.example.com`. */
  defaultOrigin: string;
  /** Besides, by the operator's choice: for every tenant, and for this one. Read anew each time. */
  otherOrigins(tenantId: string): Promise<readonly string[]>;
}
