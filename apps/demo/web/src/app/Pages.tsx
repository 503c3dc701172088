import { lazy, Suspense } from "react";
import { Redirect, Route, Switch } from "wouter";
import { QuotaSharePage } from "../quotaShare/QuotaSharePage.js";
import { EmptyState } from "../ui/EmptyState.js";

/** Where one can go, in the order of the navigation. */
export const PAGES = [
  { path: "/dashboard/costs/quota-share", name: "Pools" },
  { path: "/dashboard/costs/quota-share/plans", name: "Plans" },
  { path: "/dashboard/keys", name: "Keys" },
  { path: "/dashboard/rates", name: "Rate plans" },
  { path: "/dashboard/connections", name: "Connections" },
  { path: "/dashboard/settings", name: "Settings" },
] as const;

// What most people come for is there at once; the rest is fetched when it is asked for.
const PlansPage = lazy(() => import("../plans/PlansPage.js"));
const KeysPage = lazy(() => import("../keys/KeysPage.js"));
const RatesPage = lazy(() => import("../rates/RatesPage.js"));
const ConnectionsPage = lazy(() => import("../connections/ConnectionsPage.js"));
const SettingsPage = lazy(() => import("../settings/SettingsPage.js"));

export function Pages() {
  return (
    <Suspense fallback={null}>
      <Switch>
        <Route path="/dashboard/costs/quota-share" component={QuotaSharePage} />
        <Route path="/dashboard/costs/quota-share/plans" component={PlansPage} />
        <Route path="/dashboard/keys" component={KeysPage} />
        <Route path="/dashboard/rates" component={RatesPage} />
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
