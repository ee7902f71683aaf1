// How do lines get onto the terminal, and keys from it? By ink: the alternate screen, changed lines only, in one go where the terminal can; bracketed
// paste. Knows nothing of what is shown.
import { type Key as InkKey, render, Text, useInput, usePaste, useWindowSize } from "ink";
import { createElement, useEffect } from "react";
import type { Size } from "./frame.ts";
import type { Key } from "./press.ts";
import { guardTerminal, terminalModes } from "./terminal-guard.ts";

/** What hears of the keys and of the size. */
export interface Listeners {
  onKey(key: Key): void;
  onSize(size: Size): void;
}

/** The terminal as a screen of lines. */
export interface Terminal {
  draw(lines: readonly string[]): void;
  /** Gives the terminal back as it was. */
  close(): Promise<void>;
}

const MOST_FRAMES = 15;

/** Takes the terminal over. */
export function openTerminal(listeners: Listeners): Terminal {
  const before = terminalModes();
  let dismiss: () => void = () => undefined;
  const onReady = () => {
    dismiss = guardTerminal(before);
  };
  const linesOf = (lines: readonly string[]) => createElement(Lines, { lines, listeners, onReady });
  const screen = render(linesOf([]), {
    alternateScreen: true,
    incrementalRendering: true,
    interactive: true,
    exitOnCtrlC: false,
    patchConsole: false,
    maxFps: MOST_FRAMES,
  });
  return {
    draw: (lines) => screen.rerender(linesOf(lines)),
    async close() {
      screen.unmount();
      await screen.waitUntilExit();
      screen.cleanup();
      dismiss();
    },
  };
}

interface LinesProps {
  readonly lines: readonly string[];
  readonly listeners: Listeners;
  /** The terminal is set up. */
  readonly onReady: () => void;
}

function Lines({ lines, listeners, onReady }: LinesProps) {
  const { columns, rows } = useWindowSize();
  useInput((input, key) => listeners.onKey(keyOf(input, key)));
  usePaste((text) => listeners.onKey({ name: "several", text }));
  // After those of the keys, which set the terminal up.
  useEffect(onReady, [onReady]);
  useEffect(() => listeners.onSize({ columns, rows }), [columns, rows, listeners]);
  return createElement(Text, { wrap: "truncate" }, lines.join("\n"));
}

function keyOf(input: string, key: InkKey): Key {
  if (key.ctrl) return { name: input === "c" ? "ctrl-c" : input === "z" ? "ctrl-z" : "other", text: "" };
  if (key.meta && input !== "") return { name: "other", text: "" };
  const named = nameOf(key);
  if (named !== undefined) return { name: named, text: "" };
  const letters = [...input];
  if (letters.length === 0) return { name: "other", text: "" };
  return { name: letters.length === 1 ? "text" : "several", text: input };
}

function nameOf(key: InkKey): Key["name"] | undefined {
  if (key.return) return "enter";
  if (key.escape) return "escape";
  if (key.backspace || key.delete) return "backspace";
  if (key.upArrow) return "up";
  if (key.downArrow) return "down";
  if (key.pageUp) return "pageup";
  if (key.pageDown) return "pagedown";
  if (key.home) return "home";
  return key.end ? "end" : undefined;
}
