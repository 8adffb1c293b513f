package main

// The completion command writes a script by which bash and other shells complete simdb
// command lines.

import (
	"github.com/spf13/cobra"

	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
)

var completed = []string{"bash", "zsh", "fish", "powershell"}

// newCompletion returns the completion command.
func newCompletion() *cobra.Command {
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Generate a shell completion script",
		Long: `Generate the completion script for bash, zsh, fish or powershell. Load it in the
shell; for the current session of bash or fish:

  source <(simdb completion bash)
  simdb completion fish | source`,
		Args:      command.Args(1, 1),
		ValidArgs: completed,
		RunE: func(cmd *cobra.Command, args []string) error {
			root, out := cmd.Root(), cmd.OutOrStdout()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(out, true)
			case "zsh":
				return root.GenZshCompletion(out)
			case "fish":
				return root.GenFishCompletion(out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(out)
			}
			return exit.Usagef("unknown shell %q; use %s", args[0], output.OrList(completed))
		},
	}
}
