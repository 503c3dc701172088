import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/App.js";
import { applyTheme, keptTheme } from "./app/theme.js";
import "./ui/base.css";
import "./ui/controls.css";
import "./ui/patterns.css";
import "./ui/table.css";

applyTheme(keptTheme());
createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
