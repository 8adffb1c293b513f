// Sets the theme that was chosen here before, ahead of the first paint. It runs in the head,
// so that a page in the dark does not flash.
try {
  const theme = localStorage.getItem("simdb-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Without storage the theme of the system is used.
}
