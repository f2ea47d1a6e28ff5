import { buildDashboard } from "../outside/dashboard/dashboard-bundle.ts";

/** `npm run build`: builds the dashboard beforehand, so that a start finds it. */
const { folder, isNew } = await buildDashboard();
process.stdout.write(`${folder}${isNew ? "" : " (it was there)"}\n`);
