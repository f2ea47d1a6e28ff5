import type { TypesOf } from "../kernel/contracts/tool.ts";
import { accountModule } from "./account/module.ts";
import { approvalsModule } from "./approvals/module.ts";
import { arrivalModule } from "./arrival/module.ts";
import { auditModule } from "./audit/module.ts";
import { bookingsModule } from "./bookings/module.ts";
import { briefsModule } from "./briefs/module.ts";
import { chainModule } from "./chain/module.ts";
import { channelsModule } from "./channels/module.ts";
import { chargingModule } from "./charging/module.ts";
import { confirmationsModule } from "./confirmations/module.ts";
import { connectedAgentsModule } from "./connected-agents/module.ts";
import { conversationsModule } from "./conversations/module.ts";
import { crossChainModule } from "./cross-chain/module.ts";
import { demoModule } from "./demo/module.ts";
import { disruptionModule } from "./disruption/module.ts";
import { documentsModule } from "./documents/module.ts";
import { eInvoicesModule } from "./e-invoices/module.ts";
import { effectsModule } from "./effects/module.ts";
import { eligibilityModule } from "./eligibility/module.ts";
import { escrowModule } from "./escrow/module.ts";
import { eventsModule } from "./events/module.ts";
import { faucetModule } from "./faucet/module.ts";
import { filesModule } from "./files/module.ts";
import { flightsModule } from "./flights/module.ts";
import { gatewayModule } from "./gateway/module.ts";
import { guestsModule } from "./guests/module.ts";
import { identityModule } from "./identity/module.ts";
import { invitationsModule } from "./invitations/module.ts";
import { invoicesModule } from "./invoices/module.ts";
import { itinerariesModule } from "./itineraries/module.ts";
import { keysModule } from "./keys/module.ts";
import { ledgerModule } from "./ledger/module.ts";
import { limitsModule } from "./limits/module.ts";
import { mapsModule } from "./maps/module.ts";
import { membersModule } from "./members/module.ts";
import { ordersModule } from "./orders/module.ts";
import { outboxModule } from "./outbox/module.ts";
import { paymentsModule } from "./payments/module.ts";
import { placesModule } from "./places/module.ts";
import { policyModule } from "./policy/module.ts";
import { pricingModule } from "./pricing/module.ts";
import { recordsModule } from "./records/module.ts";
import { reportingModule } from "./reporting/module.ts";
import { reputationModule } from "./reputation/module.ts";
import { sandboxModule } from "./sandbox/module.ts";
import { scansModule } from "./scans/module.ts";
import { servicingModule } from "./servicing/module.ts";
import { signInModule } from "./sign-in/module.ts";
import { staysModule } from "./stays/module.ts";
import { supplierEventsModule } from "./supplier-events/module.ts";
import { swapsModule } from "./swaps/module.ts";
import { tenantsModule } from "./tenants/module.ts";
import { travelersModule } from "./travelers/module.ts";
import { treasuryModule } from "./treasury/module.ts";
import { tripRecordModule } from "./trip-record/module.ts";
import { tripsModule } from "./trips/module.ts";
import { workflowsModule } from "./workflows/module.ts";

/** Every capability of the product. Their tools are listed in this order. */
export const modules = [
  identityModule,
  chargingModule,
  reportingModule,
  recordsModule,
  auditModule,
  limitsModule,
  keysModule,
  ledgerModule,
  effectsModule,
  outboxModule,
  eventsModule,
  signInModule,
  connectedAgentsModule,
  membersModule,
  tenantsModule,
  chainModule,
  scansModule,
  travelersModule,
  tripsModule,
  bookingsModule,
  flightsModule,
  servicingModule,
  staysModule,
  tripRecordModule,
  ordersModule,
  supplierEventsModule,
  treasuryModule,
  faucetModule,
  gatewayModule,
  crossChainModule,
  swapsModule,
  escrowModule,
  invitationsModule,
  guestsModule,
  policyModule,
  approvalsModule,
  pricingModule,
  reputationModule,
  placesModule,
  paymentsModule,
  filesModule,
  mapsModule,
  arrivalModule,
  disruptionModule,
  briefsModule,
  eligibilityModule,
  documentsModule,
  invoicesModule,
  itinerariesModule,
  eInvoicesModule,
  workflowsModule,
  conversationsModule,
  confirmationsModule,
  channelsModule,
  sandboxModule,
  demoModule,
  accountModule,
] as const;

type ModuleWithTools = Extract<(typeof modules)[number], { readonly tools: unknown }>;

/** Every tool by name, with the types of its arguments and its answer. */
export type ToolMap = TypesOf<ModuleWithTools["tools"][number]>;
