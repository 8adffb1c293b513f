package main

// This file draws curves as SVG.

import (
	"bytes"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
)

// draw returns the figure as SVG, whose words are text and can be searched.
func (f figure) draw(curves []curve) ([]byte, error) {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = f.title, f.xLabel, f.yLabel
	p.Add(plotter.NewGrid())
	for i, c := range curves {
		var xys plotter.XYs
		for _, pt := range thin(c.points) {
			xys = append(xys, plotter.XY{X: pt.x, Y: pt.y})
		}
		line, err := plotter.NewLine(xys)
		if err != nil {
			return nil, err
		}
		line.Color, line.Width = plotutil.Color(i), vg.Points(1.5)
		line.Dashes = plotutil.Dashes(i / len(plotutil.DefaultColors))
		p.Add(line)
		p.Legend.Add(c.name, line)
		if f.dots {
			dots, err := plotter.NewScatter(xys)
			if err != nil {
				return nil, err
			}
			dots.Color = line.Color
			p.Add(dots)
		}
	}
	f.scale(p)
	to, err := p.WriterTo(18*vg.Centimeter, 12*vg.Centimeter, "svg")
	if err != nil {
		return nil, err
	}
	var svg bytes.Buffer
	_, err = to.WriteTo(&svg)
	return svg.Bytes(), err
}

func (f figure) scale(p *plot.Plot) {
	p.Legend.Top, p.Legend.Left = !f.legendLow, f.legendLow && !f.legendEast
	if f.fromZero {
		p.Y.Min = 0
	}
	if f.logX {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	}
	if f.logY {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	}
}
