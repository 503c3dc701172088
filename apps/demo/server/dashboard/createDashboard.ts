import express, { type Request, type Response, type Router } from "express";
import { FOREIGN_HOST, type HostCheck } from "../session/hostCheck.js";
import { PAGE_HEADERS } from "./pageHeaders.js";
import { readPages, type Page } from "./readPages.js";

export interface DashboardOptions {
  /** Where the built pages are; undefined: they were not built. */
  readonly directory: string | undefined;
  readonly hosts: Pick<HostCheck, "isOurs">;
}

/**
 * The pages, below `/dashboard`: the built files, and the one page for every other path, since the browser finds its way from there. `/` and
 * `/dashboard` lead to the first of them. They hold no secrets, so nobody has to be signed in for them.
 */
export function createDashboard({ directory, hosts }: DashboardOptions): Router {
  const pages = readPages(directory);
  const router = express.Router({ caseSensitive: true });
  const mounted = express.Router({ caseSensitive: true });
  router.get("/", (_request, response) => response.set(PAGE_HEADERS).redirect(FIRST_PAGE));
  router.use("/dashboard", mounted);

  mounted.use((request, response) => {
    response.set(PAGE_HEADERS);
    if (!hosts.isOurs(request)) return sendText(response, 403, FOREIGN_HOST);
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.set("allow", "GET, HEAD");
      return sendText(response, 405, "Pages are read with GET.");
    }
    if (pages === undefined) return sendText(response, 503, NOT_BUILT);
    if (request.path === "/") return response.redirect(FIRST_PAGE);
    const found = pages.get(request.path);
    if (found !== undefined) return sendPage({ request, response, path: request.path }, found);
    if (isFile(request.path)) return sendText(response, 404, "There is no such file.");
    sendPage({ request, response, path: INDEX }, pages.get(INDEX)!);
  });
  return router;
}

const FIRST_PAGE = "/dashboard/costs/quota-share";
const INDEX = "/index.html";
const NOT_BUILT =
  "The pages are not built. Run `npx -y pnpm demo`, which builds them, or `npx -y pnpm --filter @quota/demo build` and start the gateway again.";

/** Whether a path asks for a file. A dot alone does not: ids of connections have dots. */
function isFile(path: string): boolean {
  return (
    path.startsWith(HASHED) ||
    /\.(?:br|css|gz|html?|ico|jpe?g|js|json|map|mjs|png|svg|txt|webmanifest|webp|woff2?)$/iu.test(path)
  );
}

/** Files below have a hash of their content in their name: what is there once never changes. */
const HASHED = "/assets/";

const PACKED = ["br", "gzip"] as const;

function sendPage(
  {
    request,
    response,
    path,
  }: { readonly request: Request; readonly response: Response; readonly path: string },
  page: Page,
): void {
  // The smallest that the browser takes.
  const packed = PACKED.find((each) => page[each] !== undefined && request.acceptsEncodings(each) !== false);
  response.type(path.slice(path.lastIndexOf(".")));
  response.set({
    "cache-control": path.startsWith(HASHED) ? "public, max-age=31536000, immutable" : "no-cache",
    etag: `"${page.tag}${packed === undefined ? "" : `-${packed}`}"`,
    vary: "accept-encoding",
    ...(packed !== undefined && { "content-encoding": packed }),
  });
  response.send(packed === undefined ? page.plain : page[packed]);
}

function sendText(response: Response, status: number, text: string): void {
  response.status(status).set("cache-control", "no-store").type("text/plain").send(`${text}\n`);
}
