import { QueryClientProvider } from "@tanstack/react-query";
import { useState } from "react";
import { createLostConnection } from "../api/lostConnection.js";
import { createQueries } from "../api/createQueries.js";
import { useSession } from "../api/useSession.js";
import { SignInAgain } from "../signIn/SignInAgain.js";
import { SignInPage } from "../signIn/SignInPage.js";
import { ErrorState } from "../ui/ErrorState.js";
import { Shell } from "./Shell.js";

/** The whole: whoever was never signed in sees nothing but the sign-in. */
export function App() {
  const [lost] = useState(createLostConnection);
  const [queries] = useState(() => createQueries(lost));
  return (
    <QueryClientProvider client={queries}>
      <Gate lost={lost} />
    </QueryClientProvider>
  );
}

function Gate({ lost }: { readonly lost: ReturnType<typeof createLostConnection> }) {
  const { data, error, refetch } = useSession();
  const [isIn, setIn] = useState(false);
  if (data?.signedIn === true && !isIn) setIn(true);
  if (isIn)
    return (
      <>
        <Shell lost={lost} onSignedOut={() => setIn(false)} />
        {data?.signedIn === false && <SignInAgain />}
      </>
    );
  if (data !== undefined) return <SignInPage />;
  return error === null ? null : (
    <ErrorState what="The dashboard" error={error} onRetry={() => void refetch()} />
  );
}
