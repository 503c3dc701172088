import { Suspense } from "react";
import { Redirect, Route, Switch } from "wouter";
import { QuotaSharePage } from "../quotaShare/QuotaSharePage.js";
import { EmptyState } from "../ui/EmptyState.js";
import { lazyPart } from "../ui/lazyPart.js";

/** Where one can go, in the order of the navigation. */
export const PAGES = [
  { path: "/dashboard/costs/quota-share", name: "Pools" },
  { path: "/dashboard/costs/quota-share/plans", name: "Plans" },
  { path: "/dashboard/keys", name: "Keys" },
  { path: "/dashboard/rates", name: "Rate plans" },
  { path: "/dashboard/spend", name: "Spend" },
  { path: "/dashboard/connections", name: "Connections" },
  { path: "/dashboard/settings", name: "Settings" },
] as const;

// What most people come for is there at once; the rest is fetched when it is asked for.
const PlansPage = lazyPart(async () => (await import("../plans/PlansPage.js")).default);
const KeysPage = lazyPart(async () => (await import("../keys/KeysPage.js")).default);
const RatesPage = lazyPart(async () => (await import("../rates/RatesPage.js")).default);
const SpendPage = lazyPart(async () => (await import("../spend/SpendPage.js")).default);
const ConnectionsPage = lazyPart(async () => (await import("../connections/ConnectionsPage.js")).default);
const SettingsPage = lazyPart(async () => (await import("../settings/SettingsPage.js")).default);

export function Pages() {
  return (
    <Suspense fallback={null}>
      <Switch>
        <Route path="/dashboard/costs/quota-share" component={QuotaSharePage} />
        <Route path="/dashboard/costs/quota-share/plans" component={PlansPage} />
        <Route path="/dashboard/keys" component={KeysPage} />
        <Route path="/dashboard/rates" component={RatesPage} />
        <Route path="/dashboard/spend" component={SpendPage} />
        <Route path="/dashboard/connections" component={ConnectionsPage} />
        <Route path="/dashboard/settings" component={SettingsPage} />
        <Route path="/dashboard/sign-in">
          <Redirect to="/dashboard/costs/quota-share" replace />
        </Route>
        <Route>
          <EmptyState title="There is no such page">Choose one above.</EmptyState>
        </Route>
      </Switch>
    </Suspense>
  );
}
