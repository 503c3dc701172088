export { quota } from "./quota.js";
export type { QuotaOptions } from "./quotaOptions.js";
export type { ChargedRequest } from "./chargedRequest.js";
export { quotaOf } from "./quotaOf.js";
export type { QuotaHandle } from "./quotaOf.js";
export { quotaAdmin } from "./quotaAdmin.js";
export type { QuotaAdminOptions } from "./quotaAdmin.js";
export type { Connections } from "./planBook.js";
export { sendAnswer } from "./sendAnswer.js";
