import { isIP } from "node:net";
import { schemeOf, type Asked } from "./schemeOf.js";

/** Under which names a browser may have come. */
export interface HostCheck {
  /** Whether the request's `Host` is one of this gateway's own. */
  isOurs(request: Asked): boolean;
  /** Whether it names this machine itself, at a gateway that only this machine can reach. */
  isLoopback(request: Asked): boolean;
}

/**
 * Whoever owns a domain may point it at 127.0.0.1 while a browser shows their page, which then talks to the gateway as if it were the
 * page's own server (DNS rebinding). The browser still says in `Host` which name it believes in, so foreign names are refused. Names that
 * nobody can point elsewhere are safe: addresses in numbers, and `localhost` itself (its subdomains are not, in every resolver).
 *
 * @param settings.host what `HOST` says: that name is ours, too.
 * @param settings.publicHosts what `QUOTA_PUBLIC_HOSTS` says: the names under which a proxy in front is reached, at any port.
 */
export function createHostCheck({
  host,
  onLoopback,
  publicHosts,
}: {
  readonly host: string;
  readonly onLoopback: boolean;
  readonly publicHosts: readonly string[];
}): HostCheck {
  const named = new Set(publicHosts.map(plain));
  const local = new Set(["localhost", "127.0.0.1", "::1", plain(host)]);
  const isLoopback = (request: Asked): boolean => {
    if (!onLoopback) return false;
    const asked = hostOf(request);
    return asked !== undefined && local.has(asked.name) && asked.port === request.socket.localPort;
  };
  return {
    isLoopback,
    isOurs(request) {
      const name = hostOf(request)?.name;
      if (name === undefined) return false;
      if (named.has(name)) return true;
      return onLoopback ? isLoopback(request) : local.has(name) || isIP(name) !== 0;
    },
  };
}

/** Why a request is refused whose `Host` is not ours, and what to do about it. */
export const FOREIGN_HOST =
  "This gateway does not know itself under the name in the Host header. Open it by its own address and port, or add the name to QUOTA_PUBLIC_HOSTS.";

function hostOf(request: Asked): { readonly name: string; readonly port: number } | undefined {
  const [, name, port] =
    /^(\[[\da-f:.]+\]|[^\s:/@[\]]+)(?::(\d{1,5}))?$/iu.exec(request.headers.host ?? "") ?? [];
  if (name === undefined) return undefined;
  const usual = schemeOf(request) === "https" ? 443 : 80;
  return { name: plain(name), port: port === undefined ? usual : Number(port) };
}

/** Lower-case, and an IPv6 address without its brackets. */
function plain(host: string): string {
  return host.toLowerCase().replace(/^\[(.*)\]$/u, "$1");
}
