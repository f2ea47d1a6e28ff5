export { TransferWorker } from "./transfer-worker.ts";
