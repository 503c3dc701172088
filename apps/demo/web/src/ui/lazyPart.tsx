import { lazy, type ComponentType, type LazyExoticComponent } from "react";
import { ErrorState } from "./ErrorState.js";

/**
 * A part of a page that is fetched when it is first shown. Where it cannot be fetched (the gateway is away, or has newer pages than this one),
 * that is said in its place, and what else is on the page stays.
 *
 * @example
 * const WhyModal = lazyPart(async () => (await import("./WhyModal.js")).WhyModal);
 */
export function lazyPart<Props>(
  load: () => Promise<ComponentType<Props>>,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async (): Promise<{ readonly default: ComponentType<Props> }> => {
    try {
      return { default: await load() };
    } catch (error) {
      return { default: () => <NotFetched error={error} /> };
    }
  });
}

function NotFetched({ error }: { readonly error: unknown }) {
  return (
    <ErrorState
      what="This part of the page"
      error={new Error("It could not be fetched.", { cause: error })}
      // React asks for a part once; only a new page asks again.
      onRetry={() => location.reload()}
    />
  );
}
